import { DATA_TYPES, stack, tensor, type NumericDataType, type Tensor } from '#model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packArrays } from './pack-arrays.js';

const DTYPES = Object.keys(DATA_TYPES) as NumericDataType[];

const typedArray = fc
  .record({ dtype: fc.constantFrom(...DTYPES), bytes: fc.uint8Array({ maxLength: 64 }) })
  .map(({ dtype, bytes }) => {
    const { array: ArrayType, bytes: width } = DATA_TYPES[dtype];
    const whole = bytes.slice(0, Math.floor(bytes.length / width) * width);
    return new ArrayType(whole.buffer);
  });

const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.integer(),
    fc.constant(null),
    typedArray,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 3 }),
  ),
}));

/** As a worker would receive it. */
function send(values: readonly unknown[]): unknown[] {
  const { values: packed, transfer } = packArrays(values);
  return structuredClone(packed, { transfer }) as unknown[];
}

describe('packing the typed arrays of a batch', () => {
  it('P2 gives every value back as it was, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(anyValue, { maxLength: 6 }), (values) => {
        const before = structuredClone(values);
        expect(send(values)).toEqual(values);
        expect(values).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  it('lets a model stack a column without a copy', () => {
    const items = [1, 2, 3].map((n) => ({
      mask: tensor('uint8', [3], Uint8Array.of(n, n, n)),
      pixels: tensor('float32', [2], Float32Array.of(n, -n)),
    }));
    const received = send(items) as typeof items;
    const pixels = stack(received.map((item) => item.pixels));
    const mask = stack(received.map((item) => item.mask));
    expect(pixels.data.buffer).toBe(received[0]!.pixels.data.buffer);
    expect(mask.data.buffer).toBe(received[0]!.mask.data.buffer);
    expect([...pixels.data]).toEqual([1, -1, 2, -2, 3, -3]);
    expect([...mask.data]).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3]);
  });

  it('leaves the sender its buffers, also pooled ones', () => {
    const pooled = Buffer.from('picture');
    const own = Float64Array.of(1, 2);
    expect(send([pooled, own])).toEqual([Uint8Array.from(Buffer.from('picture')), Float64Array.of(1, 2)]);
    expect(pooled.toString()).toBe('picture');
    expect(own.byteLength).toBe(16);
  });

  it('gives one array that stands in two items to both', () => {
    const shared = Float32Array.of(1, 2, 3);
    const received = send([{ a: shared }, { a: shared }]) as { a: Float32Array }[];
    expect(received.map(({ a }) => [...a])).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('BC-038 carries empty arrays', () => {
    const empty: Tensor = tensor('float32', [2, 0], new Float32Array(0));
    expect(send([empty, new BigInt64Array(0)])).toEqual([empty, new BigInt64Array(0)]);
  });

  it('keeps members of any name', () => {
    const odd = JSON.parse('{"__proto__": 1, "constructor": 2}') as object;
    const [received] = send([{ ...odd, ['__proto__']: 1, x: Float32Array.of(1) }]) as [object];
    expect(Object.entries(received)).toContainEqual(['__proto__', 1]);
    expect(Object.entries(received)).toContainEqual(['constructor', 2]);
  });

  it('keeps widths apart that do not align', () => {
    const values = [Uint8Array.of(1), Float64Array.of(0.5), Uint8Array.of(2, 3), BigInt64Array.of(4n)];
    expect(send(values)).toEqual(values);
  });
});
