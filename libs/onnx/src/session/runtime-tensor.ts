import { DATA_TYPES, isDataType, type NumericDataType, type Tensor, type TypedArray } from '#model';
import { Tensor as RuntimeTensor } from 'onnxruntime-node';
import { OnnxError } from './onnx-error.js';
import { describeValue, type OnnxValue } from './onnx-value.js';

/**
 * Checks a tensor against the declared input and hands it to the runtime without a copy.
 *
 * @throws {OnnxError} `wrong_dtype` or `wrong_shape`
 */
export function toRuntime(input: OnnxValue, tensor: Tensor): RuntimeTensor {
  const expected = describeValue(input.dtype, input.shape);
  const given = describeValue(tensor.dtype, tensor.shape);
  if (tensor.dtype !== input.dtype) {
    throw new OnnxError('wrong_dtype', `input '${input.name}' must be ${expected}, not ${given}`);
  }
  if (!fits(tensor.shape, input.shape)) {
    throw new OnnxError('wrong_shape', `input '${input.name}' must be ${expected}, not ${given}`);
  }
  try {
    return newRuntimeTensor(tensor);
  } catch (cause) {
    // The type says that data and shape agree, but a handler written in JavaScript may still break that.
    throw new OnnxError('wrong_shape', `the data of input '${input.name}' is not that of a ${given}`, {
      cause,
    });
  }
}

/** Takes over a tensor that the runtime made. Its data is kept, not copied. */
export function fromRuntime(name: string, output: RuntimeTensor): Tensor {
  if (!isDataType(output.type)) {
    throw new OnnxError(
      'unsupported_value',
      `output '${name}' has the element type ${output.type}, which is not served`,
    );
  }
  const shape = [...output.dims];
  if (output.type === 'string') return { dtype: 'string', shape, data: output.data as string[] };
  return { dtype: output.type, shape, data: asDeclaredArray(output.type, output.data as TypedArray) };
}

function fits(shape: readonly number[], declared: readonly (number | null)[]): boolean {
  return (
    shape.length === declared.length &&
    declared.every((axis, index) => axis === null || axis === shape[index])
  );
}

function newRuntimeTensor(tensor: Tensor): RuntimeTensor {
  const data = runtimeData(tensor) as Uint16Array;
  if (tensor.dtype !== 'float16') return new RuntimeTensor(tensor.dtype as 'uint16', data, tensor.shape);
  // Where Float16Array exists (Node 24) the constructor turns the bits into one, which the runtime's native part
  // then takes for empty. So the bits go in as integers, and are named float16 afterwards.
  return Object.defineProperty(new RuntimeTensor('uint16', data, tensor.shape), 'type', { value: 'float16' });
}

function runtimeData({ data }: Tensor): TypedArray | readonly string[] {
  // On Node 20 the runtime refuses shared memory with "Invalid argument"; slice() copies it out.
  return ArrayBuffer.isView(data) && data.buffer instanceof SharedArrayBuffer ? data.slice() : data;
}

/** Where Float16Array exists the runtime gives float16 as one; ours is its raw bits everywhere. */
function asDeclaredArray(dtype: NumericDataType, data: TypedArray): TypedArray {
  const ArrayType = DATA_TYPES[dtype].array;
  if (data instanceof ArrayType) return data;
  return new ArrayType(data.buffer, data.byteOffset, data.length);
}
