import { fromFloat16, isTensor, ServingError, type Tensor, type TypedArray } from '#model';

/**
 * Makes a value that JSON.stringify writes as meant: typed arrays become arrays of numbers; 64-bit integers
 * beyond 2^53 become decimal strings, since most clients would round them.
 *
 * Parts that need no change are not copied.
 *
 * @throws {ServingError} `non_finite_output` for NaN and infinities, which JSON.stringify would turn into null
 */
export function toJsonValue(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) throw nonFinite(value);
      return value;
    case 'bigint':
      return fromBigInt(value);
    case 'object':
      return value === null ? null : fromObject(value);
    default:
      return value;
  }
}

function fromObject(value: object): unknown {
  if (Array.isArray(value)) return fromArray(value);
  if (ArrayBuffer.isView(value)) return fromTypedArray(value as TypedArray);
  if (value instanceof Map || value instanceof Set) {
    const name = value.constructor.name;
    throw new ServingError('contract_violation', `the result holds a ${name}, which JSON cannot carry`);
  }
  if (value instanceof Date) return value;
  if (isTensor(value)) return { ...value, data: fromTensorData(value) };
  let copy: Record<string, unknown> | undefined;
  for (const [key, member] of Object.entries(value)) {
    const converted = toJsonValue(member);
    if (converted === member) continue;
    copy ??= { ...value };
    copy[key] = converted;
  }
  return copy ?? value;
}

function fromTensorData({ dtype, data }: Tensor): unknown {
  if (dtype === 'bool') return Array.from(data as Uint8Array, Boolean);
  if (dtype !== 'float16') return toJsonValue(data);
  return fromTypedArray(Float32Array.from(data as Uint16Array, fromFloat16));
}

function fromArray(values: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < values.length; index++) {
    const converted = toJsonValue(values[index]);
    if (converted === values[index]) continue;
    copy ??= [...values];
    copy[index] = converted;
  }
  return copy ?? values;
}

function fromTypedArray(array: TypedArray): readonly (number | string)[] {
  if (array instanceof BigInt64Array || array instanceof BigUint64Array) return Array.from(array, fromBigInt);
  for (const element of array) if (!Number.isFinite(element)) throw nonFinite(element);
  return array instanceof Float32Array ? Array.from(array, shortest) : Array.from(array);
}

/** The double with the shortest text that is read as this float32: 0.1, not 0.10000000149011612. */
function shortest(value: number): number {
  if (Number.isInteger(value)) return value;
  for (let digits = 6; digits < 9; digits++) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  return Number(value.toPrecision(9));
}

function fromBigInt(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function nonFinite(value: number): ServingError {
  const message = `the result holds ${value}, which JSON cannot carry; MessagePack can`;
  return new ServingError('non_finite_output', message);
}
