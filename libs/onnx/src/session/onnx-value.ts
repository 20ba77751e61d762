import { isDataType, type DataType } from '#model';
import type { InferenceSession } from 'onnxruntime-node';
import { OnnxError } from './onnx-error.js';

/** One input or output of an ONNX model, as its file declares it. */
export interface OnnxValue {
  readonly name: string;
  readonly dtype: DataType;
  /** Axis lengths with the batch axis, where there is one; `null` for an axis of any length. */
  readonly shape: readonly (number | null)[];
  /** The axis that items are stacked along: the first, when it may have any length; else `null`. */
  readonly batchAxis: 0 | null;
  /**
   * The length of the first axis where the file fixes it: a model with `1` here takes one item a run.
   * Absent for a scalar and wherever `batchAxis` is `0`.
   */
  readonly fixedBatch?: number;
}

/**
 * Reads what the runtime says of an input or output.
 *
 * @throws {OnnxError} `unsupported_value` for a sequence, a map or a 4-bit tensor
 */
export function onnxValue(metadata: InferenceSession.ValueMetadata): OnnxValue {
  const { name } = metadata;
  if (!metadata.isTensor) {
    throw new OnnxError(
      'unsupported_value',
      `'${name}' is a sequence, a map or an optional; export the model so that it takes and gives tensors only`,
    );
  }
  if (!isDataType(metadata.type)) {
    throw new OnnxError(
      'unsupported_value',
      `'${name}' has the element type ${metadata.type}, which is not served`,
    );
  }
  // A free axis comes as its symbolic name, which exporters may leave empty.
  const shape = metadata.shape.map((axis) => (typeof axis === 'number' ? axis : null));
  const [first] = shape;
  return {
    name,
    dtype: metadata.type,
    shape,
    batchAxis: first === null ? 0 : null,
    ...(typeof first === 'number' && { fixedBatch: first }),
  };
}

/** Writes a dtype and a shape as messages show them, for example `float32 [any, 784]`. */
export function describeValue(dtype: DataType, shape: readonly (number | null)[]): string {
  return `${dtype} [${shape.map((axis) => axis ?? 'any').join(', ')}]`;
}
