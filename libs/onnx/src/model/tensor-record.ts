import { stack, unstack, type JsonSchema, type Tensor } from '#model';
import type { OnnxValue } from '../session/onnx-value.js';
import type { BatchLayout } from './batch-layout.js';

/** The tensors of one item, or of one batch, by the names of the file's inputs or outputs. */
export type TensorRecord = Readonly<Record<string, Tensor>>;

/** The description of one item: an object with a tensor for each of the file's inputs or outputs. */
export function schemaOf(values: readonly OnnxValue[], { isStacked }: BatchLayout): JsonSchema {
  const properties = values.map(({ name, dtype, shape }): [string, JsonSchema] => [
    name,
    { tensor: { dtype, shape: isStacked ? shape.slice(1) : shape } },
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: values.map(({ name }) => name),
    additionalProperties: false,
  };
}

/** Stacks the tensors of items, name by name. */
export function stackRecords(names: readonly string[], items: readonly TensorRecord[]): TensorRecord {
  return Object.fromEntries(names.map((name) => [name, stack(items.map((item) => item[name]!))]));
}

/**
 * Takes the tensors of a batch apart, the inverse of {@link stackRecords}.
 *
 * @param size items in the batch
 * @throws {Error} when an output has another number of rows
 */
export function unstackRecord(batch: TensorRecord, size: number): TensorRecord[] {
  const columns = Object.entries(batch).map(([name, tensor]): [string, Tensor[]] => {
    if (tensor.shape[0] === size) return [name, unstack(tensor)];
    throw new Error(
      `output '${name}' has the shape [${tensor.shape.join(', ')}] for a batch of ${size}: its first axis is no batch axis`,
    );
  });
  return Array.from({ length: size }, (_, index) =>
    Object.fromEntries(columns.map(([name, rows]) => [name, rows[index]!])),
  );
}
