import { DATA_TYPES, type DataType, type TypedArray } from '#model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementReader } from './element-reader.js';

const SMALL = ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32'] as const;
const BIG = ['int64', 'uint64'] as const;

/** What is left of a value once it stands in a typed array. */
function stored(dtype: (typeof SMALL | typeof BIG)[number] | 'float32', element: unknown): unknown {
  const array = new DATA_TYPES[dtype].array(1) as TypedArray;
  (array as { [index: number]: unknown })[0] = element;
  return array[0];
}

describe('an element of a tensor', () => {
  it.each(SMALL)('of %s is taken exactly when the typed array keeps it as it is', (dtype) => {
    const { read } = elementReader(dtype);
    const nearLimits = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.integer({ min: -70_000, max: 70_000 }));
    fc.assert(
      fc.property(nearLimits, (value) => {
        expect(read(value)).toBe(stored(dtype, value) === value ? value : undefined);
      }),
    );
  });

  it.each(BIG)('of %s is taken exactly when the typed array keeps it as it is', (dtype) => {
    const { read } = elementReader(dtype);
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), (value) => {
        const expected = stored(dtype, value) === value ? value : undefined;
        expect(read(value)).toBe(expected);
        expect(read(value.toString())).toBe(expected);
      }),
    );
  });

  it('BC-098 of float32 is any number that does not become infinite, rounded once', () => {
    const { read } = elementReader('float32');
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const element = read(value);
        const fits = Number.isFinite(Math.fround(value)) && Math.abs(value) < 3.4e38;
        const overflows = Math.abs(value) > 3.5e38;
        fc.pre(fits || overflows);
        expect(overflows ? element : stored('float32', element)).toBe(
          overflows ? undefined : Math.fround(value),
        );
      }),
    );
  });

  it.each<[DataType, unknown[]]>([
    ['int32', ['5', 5.5, NaN, Infinity, true, null, undefined, [5], {}]],
    ['int64', ['5.0', ' 5', '+5', '0x5', '', '-', '5n', '1e3', '9'.repeat(21), 5.5, NaN, 2 ** 53, null, [5]]],
    ['uint64', ['-1', -1, true]],
    ['float32', ['5', NaN, Infinity, -Infinity, true, null, [5], 5n]],
    ['float64', ['5', NaN, Infinity, -Infinity, true, null, [5]]],
    ['bool', [0, 1, 'true', null]],
    ['string', [5, null, true, ['a']]],
  ])('of %s is no value of another kind', (dtype, values) => {
    const { read } = elementReader(dtype);
    expect(values.filter((value) => read(value) !== undefined)).toEqual([]);
  });

  it('BC-037 of bool is stored as 0 or 1', () => {
    const { read } = elementReader('bool');
    expect([read(true), read(false)]).toEqual([1, 0]);
  });

  it.each<[DataType, string]>([
    ['int8', 'an integer from -128 to 127'],
    ['uint32', 'an integer from 0 to 4294967295'],
    ['int64', 'an integer from -9223372036854775808 to 9223372036854775807, as a decimal string beyond 2^53'],
    ['float32', 'a number that float32 can hold'],
    ['bool', 'true or false'],
    ['string', 'a string'],
  ])('of %s: the fault says what is accepted', (dtype, accepts) => {
    expect(elementReader(dtype).accepts).toBe(accepts);
  });

  it('BC-037 of float16 becomes its bits, unless it is too large', () => {
    const { read } = elementReader('float16');
    expect([1, -0.5, 65_504].map(read)).toEqual([0x3c00, 0xb800, 0x7bff]);
    expect([65_505, -1e9, Infinity, NaN, '1', true].map(read)).toEqual(Array(6).fill(undefined));
  });
});
