import { DATA_TYPES, isDataType, type ArrayOf, type DataType } from './data-type.js';

/**
 * An n-dimensional array in row-major order.
 *
 * It is a plain object, not a class, so that it keeps its meaning across threads and across several copies
 * of this package. `shape` excludes the batch axis wherever one item is meant.
 */
export interface Tensor<D extends DataType = DataType> {
  readonly dtype: D;
  /** Axis lengths, integers ≥ 0. `[]` is a scalar. */
  readonly shape: readonly number[];
  /** Exactly `elementCount(shape)` elements. */
  readonly data: ArrayOf<D>;
}

/** The number of elements of a tensor of this shape: the product of its axes, 1 for a scalar. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, axis) => product * axis, 1);
}

/**
 * Makes a tensor of `data`, which is kept, not copied.
 *
 * @throws {TypeError} when `data` is of another type than `dtype` says
 * @throws {RangeError} when `data` does not hold exactly the elements that `shape` asks for
 */
export function tensor<D extends DataType>(dtype: D, shape: readonly number[], data: ArrayOf<D>): Tensor<D> {
  if (!isArrayOf(dtype, data)) {
    throw new TypeError(`a ${dtype} tensor holds ${arrayName(dtype)}, not ${describe(data)}`);
  }
  if (!isShape(shape) || data.length !== elementCount(shape)) {
    throw new RangeError(`shape [${shape.join(', ')}] does not fit ${data.length} elements`);
  }
  return { dtype, shape, data };
}

/** Whether `value` is a tensor: a known dtype, a shape, and data of that type and length. */
export function isTensor(value: unknown): value is Tensor {
  if (typeof value !== 'object' || value === null) return false;
  const { dtype, shape, data } = value as Partial<Tensor>;
  return isDataType(dtype) && isShape(shape) && isArrayOf(dtype, data) && data.length === elementCount(shape);
}

/** Whether `value` is a list of axis lengths. */
export function isShape(value: unknown): value is readonly number[] {
  // Not every() alone, which skips the holes of a sparse array.
  return Array.isArray(value) && [...value.values()].every((axis) => Number.isSafeInteger(axis) && axis >= 0);
}

function isArrayOf<D extends DataType>(dtype: D, data: unknown): data is ArrayOf<D> {
  const type: DataType = dtype;
  return type === 'string' ? isListOfStrings(data) : data instanceof DATA_TYPES[type].array;
}

function isListOfStrings(data: unknown): boolean {
  return Array.isArray(data) && [...data.values()].every((element) => typeof element === 'string');
}

function arrayName(dtype: DataType): string {
  return dtype === 'string' ? 'an array of strings' : `a ${DATA_TYPES[dtype].array.name}`;
}

function describe(data: unknown): string {
  return typeof data === 'object' && data !== null ? `a ${data.constructor.name}` : typeof data;
}
