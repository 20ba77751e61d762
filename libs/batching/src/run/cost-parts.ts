import { ServingError } from '#model';

/** A model's own measure of its items, with the limit for a batch. */
export interface CostBound {
  /** What one item counts for, ≥ 0. It is the model's code: it may throw. */
  readonly cost: (item: never) => number;
  /** Most that the items of one batch may add up to. */
  readonly maxBatchCost: number;
}

/**
 * Divides a batch into parts that each stay within the model's cost limit, in order.
 *
 * @param values one value an item; the error of an item that alone is above the limit, or whose cost cannot be
 *   told, takes its value's place
 * @returns the indices of each part
 */
export function partsWithinCost(values: unknown[], { cost, maxBatchCost }: CostBound): number[][] {
  const parts: number[][] = [];
  let total = Infinity;
  for (const [index, value] of values.entries()) {
    if (value instanceof Error) continue;
    const own = costOf(cost, value);
    if (own instanceof ServingError) {
      values[index] = own;
    } else if (own > maxBatchCost) {
      values[index] = new ServingError(
        'cost_too_large',
        `the input costs ${own}, a batch holds at most ${maxBatchCost}`,
      );
    } else {
      if (total + own > maxBatchCost) {
        parts.push([]);
        total = 0;
      }
      parts.at(-1)!.push(index);
      total += own;
    }
  }
  return parts;
}

function costOf(cost: CostBound['cost'], value: unknown): number | ServingError {
  const message = "the model's cost function cannot measure this input";
  try {
    const own = cost(value as never);
    return own >= 0 ? own : new ServingError('invalid_input', message);
  } catch (error) {
    return new ServingError('invalid_input', message, { cause: error });
  }
}
