import {
  DATA_TYPES,
  elementCount,
  isShape,
  type DataType,
  type NumericDataType,
  type Tensor,
  type TensorSpec,
  type TypedArray,
} from '#model';
import { elementReader, type ElementReader } from './element-reader.js';
import { TensorFault } from './tensor-fault.js';

/**
 * Reads a tensor from a decoded body by one loop. Three forms are understood: nested arrays of the declared
 * shape; `{ dtype, shape, data }` with flat data; the same with the elements as little-endian bytes.
 *
 * @throws {TensorFault} saying where the value differs from `spec`
 */
export function readTensor(spec: TensorSpec, value: unknown): Tensor {
  if (Array.isArray(value)) return readNested(spec, value);
  if (spec.shape.length === 0 && typeof value !== 'object') return readFlat(spec.dtype, [], [value], '');
  if (typeof value !== 'object' || value === null || !('data' in value)) {
    throw new TensorFault('', `must be ${describe(spec)}: nested arrays, or { dtype, shape, data }`);
  }
  const { dtype, shape, data } = value as Partial<Tensor>;
  if (dtype !== spec.dtype) throw new TensorFault('/dtype', `must be '${spec.dtype}'`);
  if (!isShape(shape) || !fits(spec.shape, shape)) {
    throw new TensorFault('/shape', `must be [${describeShape(spec.shape)}]`);
  }
  if (Array.isArray(data)) return readFlat(spec.dtype, shape, data, '/data');
  if (spec.dtype !== 'string' && ArrayBuffer.isView(data)) {
    return { dtype, shape, data: readBytes(spec.dtype, shape, data) };
  }
  throw new TensorFault('/data', 'must be an array of the elements, or their bytes');
}

function readNested(spec: TensorSpec, value: readonly unknown[]): Tensor {
  const shape: number[] = [];
  for (
    let level: unknown = value;
    shape.length < spec.shape.length && Array.isArray(level);
    level = level[0]
  ) {
    shape.push(level.length);
    // An empty axis hides the lengths of the axes below it.
    if (level.length === 0) shape.push(...spec.shape.slice(shape.length).map((axis) => axis ?? 0));
  }
  if (!fits(spec.shape, shape)) {
    throw new TensorFault(
      '',
      `must have the shape [${describeShape(spec.shape)}], has [${shape.join(', ')}]`,
    );
  }
  const flat = shape.length === 1 ? value : flatten(value, shape, 0, '');
  return readFlat(spec.dtype, shape, flat, '');
}

function flatten(value: unknown, shape: readonly number[], axis: number, path: string): unknown[] {
  if (!Array.isArray(value) || value.length !== shape[axis]) {
    throw new TensorFault(path, `must be an array of ${shape[axis]}, as its neighbours are`);
  }
  if (axis === shape.length - 1) return value;
  return value.flatMap((row, index) => flatten(row, shape, axis + 1, `${path}/${index}`));
}

function readFlat(
  dtype: DataType,
  shape: readonly number[],
  values: readonly unknown[],
  path: string,
): Tensor {
  const count = elementCount(shape);
  if (values.length !== count) {
    throw new TensorFault(
      path,
      `must hold ${count} elements for the shape [${shape.join(', ')}], holds ${values.length}`,
    );
  }
  const { read, accepts } = elementReader(dtype);
  const fault = (index: number) =>
    new TensorFault(path + place(index, path === '' ? shape : [count]), `must be ${accepts}`);
  const data =
    dtype === 'string'
      ? readInto([], values, read, fault)
      : readInto(new DATA_TYPES[dtype].array(count), values, read, fault);
  return { dtype, shape, data };
}

function readInto(
  target: TypedArray | string[],
  values: readonly unknown[],
  read: ElementReader,
  fault: (index: number) => TensorFault,
): TypedArray | string[] {
  for (let index = 0; index < values.length; index++) {
    const element = read(values[index]);
    if (element === undefined) throw fault(index);
    (target as unknown[])[index] = element;
  }
  return target;
}

function readBytes(dtype: NumericDataType, shape: readonly number[], data: TypedArray): TypedArray {
  const { array: ArrayType, bytes } = DATA_TYPES[dtype];
  const count = elementCount(shape);
  if (data.byteLength !== count * bytes) {
    throw new TensorFault(
      '/data',
      `must be ${count * bytes} bytes for ${count} × ${dtype}, is ${data.byteLength}`,
    );
  }
  // A typed array must start at a multiple of its element's width, which a slice of a body seldom does.
  if (data.byteOffset % bytes === 0) return new ArrayType(data.buffer, data.byteOffset, count);
  const copy = new Uint8Array(data.byteLength);
  copy.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return new ArrayType(copy.buffer, 0, count);
}

function place(index: number, shape: readonly number[]): string {
  let rest = index;
  let path = '';
  for (const axis of shape.toReversed()) {
    path = `/${rest % axis}${path}`;
    rest = Math.floor(rest / axis);
  }
  return path;
}

function fits(expected: TensorSpec['shape'], shape: readonly number[]): boolean {
  return (
    shape.length === expected.length &&
    expected.every((axis, index) => axis === null || axis === shape[index])
  );
}

function describe({ dtype, shape }: TensorSpec): string {
  return shape.length === 0 ? `a ${dtype} scalar` : `a ${dtype} tensor of shape [${describeShape(shape)}]`;
}

function describeShape(shape: TensorSpec['shape']): string {
  return shape.map((axis) => axis ?? 'any').join(', ');
}
