import { tensor } from '#model';
import { describe, expect, it } from 'vitest';
import { differenceBetween } from './difference.js';

const floats = (...values: number[]) => tensor('float32', [values.length], Float32Array.from(values));
const halves = (...bits: number[]) => tensor('float16', [bits.length], Uint16Array.from(bits));
const longs = (...values: bigint[]) => tensor('int64', [values.length], BigInt64Array.from(values));

describe('results', () => {
  it.each([
    [1, 1],
    ['a', 'a'],
    [null, null],
    [NaN, NaN],
    [0.5, 0.50001],
    [-Infinity, -Infinity],
    [{ a: [1, 'b'] }, { a: [1, 'b'] }],
    [floats(1, NaN, 1000), floats(1.00001, NaN, 1000.5)],
    [halves(0x3c00), halves(0x3c02)],
    [tensor('string', [1], ['a']), tensor('string', [1], ['a'])],
    [new Error('a'), new Error('b')],
  ])('BC-034 that are as good as equal have no difference (%#)', (expected, actual) => {
    expect(differenceBetween(expected, actual)).toBeUndefined();
  });

  it.each([
    [5000, 5001, 'the result is 5001 in place of 5000'],
    ['a', 'b', 'the result is "b" in place of "a"'],
    [1, '1', 'the result is "1" in place of 1'],
    [0.5, NaN, 'the result is null in place of 0.5'],
    [{ a: [1] }, { a: [1, 2] }, '/a/1 is 2 in place of undefined'],
    [floats(1, 2), floats(1, 2.5), '/1 is 2.5 in place of 2'],
    [floats(1, 2), floats(1), 'the result is a float32 [1] in place of a float32 [2]'],
    [halves(0x3c00), halves(0x4000), '/0 is 2 in place of 1'],
    [longs(5000n), longs(5001n), '/0 is 5001 in place of 5000'],
    [tensor('string', [1], ['a']), tensor('string', [1], ['b']), '/0 is "b" in place of "a"'],
    [1, new Error('b'), 'it failed: b'],
    [new Error('b'), 1, 'it has a result, and alone it failed: b'],
  ])('BC-034 that differ say where (%#)', (expected, actual, difference) => {
    expect(differenceBetween(expected, actual)).toContain(difference);
  });
});
