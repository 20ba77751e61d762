import { describe, expect, it } from 'vitest';
import { fromFloat16, toFloat16 } from './float16.js';

describe('float16', () => {
  it.each([
    [0x0000, 0],
    [0x8000, -0],
    [0x3c00, 1],
    [0xc000, -2],
    [0x7bff, 65_504],
    [0x0400, 2 ** -14],
    [0x03ff, 2 ** -14 - 2 ** -24],
    [0x0001, 2 ** -24],
    [0x7c00, Infinity],
    [0xfc00, -Infinity],
    [0x3555, 0.333251953125],
  ])('%i is %d, both ways', (bits, value) => {
    expect(fromFloat16(bits)).toBe(value);
    expect(toFloat16(value)).toBe(bits);
  });

  it('keeps every one of the 65,536 bit patterns that is a number', () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const value = fromFloat16(bits);
      if (!Number.isNaN(value)) expect(toFloat16(value)).toBe(bits);
    }
    expect(fromFloat16(toFloat16(NaN))).toBeNaN();
  });

  it.each([
    ['a tie to the even neighbour below', 1 + 2 ** -11, 1],
    ['a tie to the even neighbour above', 1 + 3 * 2 ** -11, 1 + 2 ** -9],
    ['up into the next power of two', 1.9999, 2],
    ['a tie between zero and the smallest', 2 ** -25, 0],
    ['just below the overflow down', 65_519, 65_504],
    ['beyond to infinity', 65_520, Infinity],
  ])('rounds %s', (_, value, rounded) => {
    expect(fromFloat16(toFloat16(value))).toBe(rounded);
  });
});
