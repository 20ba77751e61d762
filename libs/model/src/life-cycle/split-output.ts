import { unstack } from '../tensor/stack.js';
import { isTensor, type Tensor } from '../tensor/tensor.js';

/**
 * Splits a batch's output along its first axis, the inverse of `stackInputs`: a tensor `[n, a, b]` becomes n
 * tensors `[a, b]`, a tensor `[n]` or a typed array of n elements n numbers. A list stays the list that it is.
 * What can't be split is returned as it is, and refused where results are checked.
 */
export function splitOutput(output: unknown): unknown {
  if (isTensor(output)) return splitTensor(output);
  if (ArrayBuffer.isView(output) && !(output instanceof DataView)) {
    return Array.from(output as unknown as Iterable<number | bigint>);
  }
  return output;
}

function splitTensor(tensor: Tensor): unknown {
  if (tensor.shape.length === 0) return tensor;
  return tensor.shape.length === 1 ? Array.from<unknown>(tensor.data) : unstack(tensor);
}
