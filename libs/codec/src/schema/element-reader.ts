import { toFloat16, type DataType } from '#model';

const INTEGER_RANGES: Readonly<Partial<Record<DataType, readonly [number, number]>>> = {
  int8: [-(2 ** 7), 2 ** 7 - 1],
  int16: [-(2 ** 15), 2 ** 15 - 1],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint8: [0, 2 ** 8 - 1],
  uint16: [0, 2 ** 16 - 1],
  uint32: [0, 2 ** 32 - 1],
};
const BIG_RANGES: Readonly<Partial<Record<DataType, readonly [bigint, bigint]>>> = {
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};
const LARGEST_FLOAT16 = 65_504;
const LARGEST: Readonly<Partial<Record<DataType, number>>> = {
  float32: (2 - 2 ** -23) * 2 ** 127,
  float64: Number.MAX_VALUE,
};

/** A JSON value as an element of a tensor, or `undefined` when it is not one. */
export type ElementReader = (value: unknown) => number | bigint | string | undefined;

/** The reader for elements of `dtype`, and what it accepts, in words. */
export function elementReader(dtype: DataType): { read: ElementReader; accepts: string } {
  if (dtype === 'string')
    return { read: (v) => (typeof v === 'string' ? v : undefined), accepts: 'a string' };
  if (dtype === 'bool') {
    return { read: (v) => (typeof v === 'boolean' ? Number(v) : undefined), accepts: 'true or false' };
  }
  if (dtype === 'float16') {
    const read: ElementReader = (v) =>
      typeof v === 'number' && Math.abs(v) <= LARGEST_FLOAT16 ? toFloat16(v) : undefined;
    return { read, accepts: 'a number that float16 can hold' };
  }
  const range = INTEGER_RANGES[dtype];
  if (range !== undefined) {
    const [low, high] = range;
    const read: ElementReader = (v) =>
      Number.isInteger(v) && Number(v) >= low && Number(v) <= high ? Number(v) : undefined;
    return { read, accepts: `an integer from ${low} to ${high}` };
  }
  const bigRange = BIG_RANGES[dtype];
  if (bigRange !== undefined) {
    const [low, high] = bigRange;
    const read: ElementReader = (v) => {
      const integer = toBigInt(v);
      return integer !== undefined && integer >= low && integer <= high ? integer : undefined;
    };
    return { read, accepts: `an integer from ${low} to ${high}, as a decimal string beyond 2^53` };
  }
  const largest = LARGEST[dtype]!;
  const read: ElementReader = (v) => (typeof v === 'number' && v >= -largest && v <= largest ? v : undefined);
  return { read, accepts: `a number that ${dtype} can hold` };
}

function toBigInt(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string') return /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined;
  return Number.isSafeInteger(value) ? BigInt(value as number) : undefined;
}
