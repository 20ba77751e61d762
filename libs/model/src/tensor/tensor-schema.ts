import type { DataType } from './data-type.js';

/** A dtype and a shape that a value must have. A `null` axis may have any length. */
export interface TensorSpec {
  readonly dtype: DataType;
  readonly shape: readonly (number | null)[];
}

/** A JSON Schema, in which the keyword `tensor` (a {@link TensorSpec}) asks for a tensor. */
export interface JsonSchema {
  readonly tensor?: TensorSpec;
  readonly [keyword: string]: unknown;
}

/**
 * A schema for a model whose whole input (or output) is one tensor.
 *
 * Clients send nested arrays of that shape, or `{ dtype, shape, data }` with flat data (bytes in
 * MessagePack); the handler receives a `Tensor`.
 *
 * @param dtype element type
 * @param shape axis lengths of one item, without the batch axis; `null` for a free axis
 */
export function tensorSchema(
  dtype: DataType,
  shape: readonly (number | null)[],
  rest: Readonly<Record<string, unknown>> = {},
): JsonSchema {
  return { ...rest, tensor: { dtype, shape } };
}
