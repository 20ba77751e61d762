import { ServingError, type TypedArray } from '#model';

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
  let copy: Record<string, unknown> | undefined;
  for (const [key, member] of Object.entries(value)) {
    const converted = toJsonValue(member);
    if (converted === member) continue;
    copy ??= { ...value };
    copy[key] = converted;
  }
  return copy ?? value;
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
  return Array.from(array);
}

function fromBigInt(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function nonFinite(value: number): ServingError {
  const message = `the result holds ${value}, which JSON cannot carry; MessagePack can`;
  return new ServingError('non_finite_output', message);
}
