import {
  DATA_TYPES,
  isTensor,
  ServingError,
  type NumericDataType,
  type Tensor,
  type TypedArray,
} from '#model';

/**
 * Makes a value that MessagePack carries without extensions: a tensor's elements become bytes, and a typed
 * array outside a tensor becomes a one-dimensional tensor. Plain bytes stay bytes.
 */
export function toMessagePackValue(value: unknown): unknown {
  if (
    typeof value === 'bigint' &&
    BigInt.asIntN(64, value) !== value &&
    BigInt.asUintN(64, value) !== value
  ) {
    throw uncarriable('an integer beyond 64 bits');
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toMessagePackValue);
  if (value instanceof Uint8Array) return bytesOf(value);
  if (ArrayBuffer.isView(value)) {
    const array = value as TypedArray;
    return { dtype: dataTypeOf(array), shape: [array.length], data: bytesOf(array) };
  }
  if (value instanceof Map || value instanceof Set) throw uncarriable(`a ${value.constructor.name}`);
  if (value instanceof Date) return value.toJSON();
  if (isTensor(value) && value.dtype !== 'string') return fromTensor(value as Tensor<NumericDataType>);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toMessagePackValue(member)]));
}

function uncarriable(what: string): ServingError {
  return new ServingError('contract_violation', `the result holds ${what}, which MessagePack cannot carry`);
}

function fromTensor({ dtype, shape, data }: Tensor<NumericDataType>): object {
  return { dtype, shape, data: bytesOf(data) };
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

function dataTypeOf(array: TypedArray): string {
  const entry = Object.entries(DATA_TYPES).find(([, { array: type }]) => array instanceof type);
  // float16 shares its array type with uint16; only a tensor can say which one is meant.
  return entry![0] === 'float16' ? 'uint16' : entry![0];
}
