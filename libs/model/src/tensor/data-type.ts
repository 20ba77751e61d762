/**
 * The element types a tensor can have, named as NumPy and ONNX name them.
 *
 * `float16` is carried as its raw bits in a `Uint16Array`, `bool` as one byte (0 or 1) an element, and
 * `string` as a plain array of strings.
 */
export const DATA_TYPES = {
  float32: { bytes: 4, array: Float32Array },
  float64: { bytes: 8, array: Float64Array },
  float16: { bytes: 2, array: Uint16Array },
  int8: { bytes: 1, array: Int8Array },
  int16: { bytes: 2, array: Int16Array },
  int32: { bytes: 4, array: Int32Array },
  int64: { bytes: 8, array: BigInt64Array },
  uint8: { bytes: 1, array: Uint8Array },
  uint16: { bytes: 2, array: Uint16Array },
  uint32: { bytes: 4, array: Uint32Array },
  uint64: { bytes: 8, array: BigUint64Array },
  bool: { bytes: 1, array: Uint8Array },
} as const;

/** An element type whose elements have a fixed width. */
export type NumericDataType = keyof typeof DATA_TYPES;

/** Any element type. */
export type DataType = NumericDataType | 'string';

/** The typed array that holds elements of `D`. */
export type ArrayOf<D extends DataType> = D extends NumericDataType
  ? InstanceType<(typeof DATA_TYPES)[D]['array']>
  : readonly string[];

/** Any typed array that can back a tensor. */
export type TypedArray = ArrayOf<NumericDataType>;

/** Whether `name` is the name of an element type. */
export function isDataType(name: unknown): name is DataType {
  return typeof name === 'string' && (name === 'string' || Object.hasOwn(DATA_TYPES, name));
}
