import { ServingError } from '#model';
import { toServingError } from '../errors/problem-details.js';
import type { Prediction } from './prediction.js';

/** An item of a list that has no result. */
interface ItemError {
  readonly index: number;
  readonly code: string;
  readonly detail: string;
}

/**
 * Runs the one item of a request.
 *
 * @throws {ServingError} why it has no result
 */
export async function predictOne({ model, items, options }: Prediction): Promise<{ result: unknown }> {
  return { result: await model.predict(items[0], options) };
}

/**
 * Runs a list of items, which batch with those of other requests. All are queued, or none.
 *
 * @returns the results in the order of the items, `null` for one that failed, with the reasons beside them
 * @throws {ServingError} when the list was refused, or no item has a result
 */
export async function predictList({
  model,
  items,
  options,
  requestId,
}: Prediction): Promise<{ results: readonly unknown[]; errors?: readonly ItemError[] }> {
  model.assertAdmits(items.length, options);
  const settled = await Promise.allSettled(
    items.map((item, index) => model.predict(item, { ...options, requestId: `${requestId}/${index}` })),
  );
  const failures = settled.flatMap((each, index) =>
    each.status === 'rejected' ? [{ index, error: toServingError(each.reason) }] : [],
  );
  if (failures.length === items.length) throw failures[0]!.error;
  const results = settled.map((each) => (each.status === 'fulfilled' ? each.value : null));
  if (failures.length === 0) return { results };
  return { results, errors: failures.map(({ index, error }) => toItemError(index, error)) };
}

function toItemError(index: number, { code, message }: ServingError): ItemError {
  return { index, code, detail: message };
}
