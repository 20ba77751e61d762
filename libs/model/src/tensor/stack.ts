import { DATA_TYPES, type DataType, type NumericDataType, type TypedArray } from './data-type.js';
import { elementCount, type Tensor } from './tensor.js';

/**
 * Joins tensors of equal dtype and shape along a new first axis: n × `[a, b]` gives `[n, a, b]`.
 *
 * Where the tensors already lie one behind the other in one buffer, as they do in a batch that the server
 * hands to a model, the result is a view on that buffer and nothing is copied.
 *
 * @throws {RangeError} when the list is empty, or dtypes or shapes differ
 */
export function stack<D extends DataType>(tensors: readonly Tensor<D>[]): Tensor<D> {
  const first = tensors[0];
  if (first === undefined) throw new RangeError('stack() needs at least one tensor');
  for (const tensor of tensors) assertSameKind(first, tensor);
  const shape = [tensors.length, ...first.shape];
  if (first.dtype === 'string') {
    const data = (tensors as readonly Tensor<'string'>[]).flatMap((tensor) => tensor.data);
    return { dtype: first.dtype, shape, data } as Tensor as Tensor<D>;
  }
  const data = stackArrays(tensors as readonly Tensor[] as readonly Tensor<NumericDataType>[]);
  return { dtype: first.dtype, shape, data } as Tensor as Tensor<D>;
}

/**
 * Splits a tensor along its first axis, the inverse of {@link stack}. The parts are views on its data.
 *
 * @throws {RangeError} when the tensor is a scalar
 */
export function unstack<D extends DataType>(tensor: Tensor<D>): Tensor<D>[] {
  const [count, ...shape] = tensor.shape;
  if (count === undefined) throw new RangeError('a scalar has no axis to split along');
  const size = elementCount(shape);
  return Array.from({ length: count }, (_, index) => {
    const [from, to] = [index * size, (index + 1) * size];
    const data = Array.isArray(tensor.data)
      ? tensor.data.slice(from, to)
      : (tensor.data as TypedArray).subarray(from, to);
    return { dtype: tensor.dtype, shape, data } as Tensor as Tensor<D>;
  });
}

function stackArrays(tensors: readonly Tensor<NumericDataType>[]): TypedArray {
  const first = tensors[0]!;
  const ArrayType = DATA_TYPES[first.dtype].array;
  const size = first.data.length;
  const total = size * tensors.length;
  if (lieInOneRow(tensors)) {
    return new ArrayType(first.data.buffer, first.data.byteOffset, total);
  }
  const joined = new ArrayType(total);
  // The dtypes were checked to be equal, which the compiler cannot follow through the union of array types.
  tensors.forEach((tensor, index) => (joined as Float32Array).set(tensor.data as Float32Array, index * size));
  return joined;
}

function lieInOneRow(tensors: readonly Tensor<NumericDataType>[]): boolean {
  const { buffer, byteOffset, byteLength } = tensors[0]!.data;
  return tensors.every(
    ({ data }, index) => data.buffer === buffer && data.byteOffset === byteOffset + index * byteLength,
  );
}

function assertSameKind(first: Tensor, other: Tensor): void {
  const sameShape =
    first.shape.length === other.shape.length && first.shape.every((axis, i) => axis === other.shape[i]);
  if (first.dtype === other.dtype && sameShape) return;
  const [a, b] = [first, other].map(({ dtype, shape }) => `${dtype} [${shape.join(', ')}]`);
  throw new RangeError(`cannot stack ${a} and ${b}: stacked tensors need one dtype and one shape`);
}
