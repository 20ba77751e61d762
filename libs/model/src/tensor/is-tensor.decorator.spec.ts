import { IsOptional, validateSync } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { IsTensor } from './is-tensor.decorator.js';
import { tensor, type Tensor } from './tensor.js';

class Picture {
  @IsTensor('float32', [null, 2])
  pixels: unknown;

  @IsOptional()
  @IsTensor('int8', [], { message: 'the label is a scalar' })
  label?: Tensor<'int8'>;
}

function messagesFor(pixels: unknown, label?: unknown): string[] {
  const picture = Object.assign(new Picture(), { pixels }, label === undefined ? {} : { label });
  return validateSync(picture).flatMap(({ constraints = {} }) => Object.values(constraints));
}

describe('a property that must be a tensor', () => {
  it.each([0, 1, 5])('may have any length on a free axis: %d', (length) => {
    const pixels = tensor('float32', [length, 2], new Float32Array(2 * length));
    expect(messagesFor(pixels, tensor('int8', [], Int8Array.of(3)))).toEqual([]);
  });

  it.each([
    ['nothing', undefined],
    ['nested arrays', [[1, 2]]],
    ['another dtype', tensor('float64', [1, 2], new Float64Array(2))],
    ['another axis', tensor('float32', [2, 1], new Float32Array(2))],
    ['another rank', tensor('float32', [2], new Float32Array(2))],
    ['a shape that its data does not fill', { dtype: 'float32', shape: [2, 2], data: new Float32Array(2) }],
  ])('must not be %s', (_, value) => {
    expect(messagesFor(value)).toHaveLength(1);
  });

  it('is refused by a message that names every axis', () => {
    expect(messagesFor(null)).toEqual(['pixels must be a float32 tensor of shape [any, 2]']);
  });

  it("is refused in its author's own words", () => {
    const pixels = tensor('float32', [0, 2], new Float32Array(0));
    expect(messagesFor(pixels, tensor('int8', [1], new Int8Array(1)))).toEqual(['the label is a scalar']);
  });

  it('is checked by one loop, however many elements it has', () => {
    let reads = 0;
    const data = new Proxy(new Float32Array(4), {
      get: (target, property) => {
        if (typeof property === 'string' && /^\d+$/.test(property)) reads++;
        return Reflect.get(target, property, target) as unknown;
      },
    });
    expect(messagesFor({ dtype: 'float32', shape: [2, 2], data })).toEqual([]);
    expect(reads).toBe(0);
  });
});
