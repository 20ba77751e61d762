import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATA_TYPES, type DataType, type NumericDataType } from './data-type.js';
import { stack, unstack } from './stack.js';
import { elementCount, tensor, type Tensor } from './tensor.js';

const DTYPES = [...(Object.keys(DATA_TYPES) as NumericDataType[]), 'string'] as const;

/** Tensors of one dtype and one shape, each with data of its own. */
function alike(dtype: DataType): fc.Arbitrary<Tensor[]> {
  const shapes = fc.array(fc.nat({ max: 3 }), { maxLength: 3 });
  return shapes.chain((shape) =>
    fc.array(dataOf(dtype, elementCount(shape)), { minLength: 1, maxLength: 4 }).map((parts) => {
      return parts.map((data): Tensor => tensor(dtype, shape, data as never));
    }),
  );
}

function dataOf(dtype: DataType, count: number): fc.Arbitrary<Tensor['data']> {
  if (dtype === 'string') return fc.array(fc.string(), { minLength: count, maxLength: count });
  const { array: ArrayType, bytes } = DATA_TYPES[dtype];
  const length = count * bytes;
  return fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((raw) => new ArrayType(raw.slice().buffer));
}

/** Rows of one fresh buffer, as a batch arrives. */
function rows(count: number, length: number): Tensor<'float32'>[] {
  const all = Float32Array.from({ length: count * length }, (_, index) => index);
  return Array.from({ length: count }, (_, row) =>
    tensor('float32', [length], all.subarray(row * length, (row + 1) * length)),
  );
}

describe('stacking tensors', () => {
  it.each(DTYPES)('of %s, and splitting them again, gives them back', (dtype) => {
    fc.assert(
      fc.property(alike(dtype), (tensors) => {
        const stacked = stack(tensors);
        expect(stacked.shape).toEqual([tensors.length, ...tensors[0]!.shape]);
        expect(stacked.data).toHaveLength(elementCount(stacked.shape));
        expect(unstack(stacked)).toEqual(tensors);
      }),
    );
  });

  it('is a view where they lie one behind the other', () => {
    const tensors = rows(3, 2);
    const stacked = stack(tensors);
    expect(stacked.data.buffer).toBe(tensors[0]!.data.buffer);
    expect([...stacked.data]).toEqual([0, 1, 2, 3, 4, 5]);
    tensors[1]!.data[0] = 99;
    expect(stacked.data[2]).toBe(99);
  });

  it('finds them in the middle of a buffer', () => {
    const stacked = stack(rows(4, 2).slice(1, 3));
    expect(stacked.data.byteOffset).toBe(8);
    expect([...stacked.data]).toEqual([2, 3, 4, 5]);
  });

  it.each([
    ['in another order', [2, 0, 1], [4, 5, 0, 1, 2, 3]],
    ['with a gap between them', [0, 2], [0, 1, 4, 5]],
    ['with one of them twice', [1, 1], [2, 3, 2, 3]],
  ])('copies them when they lie %s', (_, order, expected) => {
    const tensors = rows(3, 2);
    const stacked = stack(order.map((index) => tensors[index]!));
    expect([...stacked.data]).toEqual(expected);
    expect(stacked.data.buffer).not.toBe(tensors[0]!.data.buffer);
  });

  it('copies tensors of different buffers that start at matching offsets', () => {
    const [first, second] = [rows(2, 2)[0]!, rows(2, 2)[1]!];
    second.data[0] = 7;
    expect([...stack([first, second]).data]).toEqual([0, 1, 7, 3]);
  });

  it('BC-038 works without elements', () => {
    const empty = tensor('int64', [0, 3], new BigInt64Array(0));
    expect(stack([empty, empty])).toEqual(tensor('int64', [2, 0, 3], new BigInt64Array(0)));
    expect(unstack(tensor('float32', [0, 3], new Float32Array(0)))).toEqual([]);
  });

  it('makes a list of scalars a row', () => {
    const scalars = [1, 2].map((value) => tensor('float64', [], Float64Array.of(value)));
    expect(stack(scalars)).toEqual(tensor('float64', [2], Float64Array.of(1, 2)));
  });

  it.each([
    ['dtype', tensor('float64', [2], new Float64Array(2)), 'float32 [2] and float64 [2]'],
    ['shape', tensor('float32', [1], new Float32Array(1)), 'float32 [2] and float32 [1]'],
    ['rank', tensor('float32', [1, 2], new Float32Array(2)), 'float32 [2] and float32 [1, 2]'],
  ] as const)('refuses tensors that differ in %s', (_, other, pair) => {
    const first: Tensor = rows(1, 2)[0]!;
    expect(() => stack([first, other])).toThrow(`cannot stack ${pair}`);
  });

  it('refuses an empty list', () => {
    expect(() => stack([])).toThrow(new RangeError('stack() needs at least one tensor'));
  });
});

describe('splitting a tensor', () => {
  it('gives views on its data', () => {
    const whole = tensor('int16', [2, 2], Int16Array.of(1, 2, 3, 4));
    const parts = unstack(whole);
    parts[1]!.data[0] = 30;
    expect([...whole.data]).toEqual([1, 2, 30, 4]);
    expect(parts.map(({ shape }) => shape)).toEqual([[2], [2]]);
  });

  it('refuses a scalar', () => {
    expect(() => unstack(tensor('float32', [], new Float32Array(1)))).toThrow(RangeError);
  });
});
