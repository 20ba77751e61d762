import { DATA_TYPES, type NumericDataType, type TypedArray } from '../tensor/data-type.js';
import { stack } from '../tensor/stack.js';
import { isTensor, type Tensor } from '../tensor/tensor.js';

/**
 * Stacks tensors, typed arrays, or numbers of one kind along a new first axis: n × `[a, b]` become one tensor
 * `[n, a, b]`, n numbers a `float64` tensor `[n]`. Anything else stays the list that it is.
 */
export function stackInputs(inputs: readonly unknown[]): unknown {
  if (inputs.length === 0) return inputs;
  if (inputs.every((input) => typeof input === 'number')) {
    return { dtype: 'float64', shape: [inputs.length], data: Float64Array.from(inputs) };
  }
  const tensors = inputs.map(asTensor);
  return areOfOneKind(tensors) ? stack(tensors) : inputs;
}

function asTensor(input: unknown): Tensor | undefined {
  if (isTensor(input)) return input;
  const dtype = dataTypeOf(input);
  if (dtype === undefined) return undefined;
  const data = input as TypedArray;
  return { dtype, shape: [data.length], data };
}

function dataTypeOf(input: unknown): NumericDataType | undefined {
  const entry = Object.entries(DATA_TYPES).find(
    // float16 and bool share their array type with another dtype; a bare array means the other.
    ([name, { array }]) => name !== 'float16' && name !== 'bool' && input instanceof array,
  );
  return entry?.[0] as NumericDataType | undefined;
}

function areOfOneKind(tensors: readonly (Tensor | undefined)[]): tensors is readonly Tensor[] {
  const first = tensors[0];
  return (
    first !== undefined &&
    tensors.every((tensor) => tensor?.dtype === first.dtype && tensor.shape.join() === first.shape.join())
  );
}
