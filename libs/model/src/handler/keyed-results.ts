import { ServingError } from '../errors/serving-error.js';

/** A result, and the place in the batch of the item that it is for. */
export interface KeyedResult<O> {
  /** From 0. */
  readonly id: number;
  readonly output: O;
}

/**
 * Puts results into the order of their batch, for a handler that works in an order of its own: sorted by length, or as
 * they are ready. A wrong order with the right count is what nobody could notice.
 *
 * @param size items in the batch
 * @throws {ServingError} `contract_violation` when an id is none of the batch's, comes twice or is missing
 */
export function inBatchOrder<O>(results: Iterable<KeyedResult<O>>, size: number): O[] {
  const ordered = new Map<number, O>();
  for (const { id, output } of results) {
    if (!Number.isInteger(id) || id < 0 || id >= size) throw broken(`there is no item ${id} of ${size}`);
    if (ordered.has(id)) throw broken(`item ${id} has two results`);
    ordered.set(id, output);
  }
  return Array.from({ length: size }, (_, id) => {
    if (!ordered.has(id)) throw broken(`item ${id} has no result`);
    return ordered.get(id)!;
  });
}

function broken(message: string): ServingError {
  return new ServingError('contract_violation', message);
}
