import type { OnnxValue } from '../session/onnx-value.js';

/** How the items of a batch stand in the tensors of an ONNX file. */
export interface BatchLayout {
  /** Whether items are stacked along the first axis. If not, each request is one run, and has every axis itself. */
  readonly isStacked: boolean;
  /** Items in each run, where the file fixes the first axis; smaller batches are filled up. */
  readonly fixedSize?: number;
  /** Why batches are smaller than the operator may expect. */
  readonly notice?: string;
}

type Axes = Pick<OnnxValue, 'name' | 'shape'>;

/**
 * Finds the batch axis of a file: the first axis of every input and output, when it may have any length everywhere, or
 * is fixed to one length everywhere.
 *
 * @param isStacked what the operator says, where the file alone does not tell: a fixed first axis may be one of the
 *   item's own, and an output may have no declared shape at all
 * @throws {Error} when the operator says that items are stacked, and an input has no axis for it
 */
export function batchLayout(
  inputs: readonly Axes[],
  outputs: readonly Axes[],
  isStacked?: boolean,
): BatchLayout {
  if (isStacked === false) return { isStacked: false };
  const scalar = inputs.find(({ shape }) => shape.length === 0);
  if (isStacked === true && scalar !== undefined) {
    throw new Error(`input '${scalar.name}' has no axis to stack items along; it cannot be batched`);
  }
  const known = isStacked === true ? inputs : [...inputs, ...outputs];
  const odd = known.find(({ shape }) => shape.length === 0) ?? differsInFixedLength(known);
  if (odd !== undefined) {
    return {
      isStacked: false,
      notice: `'${odd.name}' has no batch axis that all inputs and outputs share: each request is a run of its own`,
    };
  }
  const fixed = known.find(({ shape }) => typeof shape[0] === 'number');
  if (fixed === undefined) return { isStacked: true };
  const fixedSize = fixed.shape[0]!;
  return {
    isStacked: true,
    fixedSize,
    notice: `'${fixed.name}' fixes the batch axis at ${fixedSize}: batches are never larger; export the model with a free first axis`,
  };
}

/** The first value whose first axis is fixed to another length than that of one before it. */
function differsInFixedLength(values: readonly Axes[]): Axes | undefined {
  const fixed = values.filter(({ shape }) => typeof shape[0] === 'number');
  return fixed.find(({ shape }) => shape[0] !== fixed[0]!.shape[0]);
}
