import { ServingError } from '#model';
import type { BatchItem } from '../queue/batch-item.js';
import { checkBatchResult } from '../result/batch-result.js';
import { toBatchError, toItemError } from '../result/handler-error.js';

/**
 * Items that run together. The lane that was given it ends it exactly once, by {@link complete} or
 * {@link fail}.
 */
export class Batch<I, O> {
  /** Told the index of an item whose client has left or whose deadline has passed while the batch runs. */
  onDeparture: ((index: number) => void) | undefined;
  /** Why the batch failed as a whole; `undefined` while it runs and after it succeeded. */
  error: ServingError | undefined;
  /** Clock time at which it ended, in milliseconds. */
  endedAt: number | undefined;
  readonly #onEnded: (batch: Batch<I, O>) => void;

  constructor(
    /** Unique within its batcher. */
    readonly id: number,
    readonly items: readonly BatchItem<I, O>[],
    /** Clock time at which it was handed to its lane, in milliseconds. */
    readonly startedAt: number,
    onEnded: (batch: Batch<I, O>) => void,
  ) {
    this.#onEnded = onEnded;
  }

  get size(): number {
    return this.items.length;
  }

  /** Ends the batch with what the handler returned: each item gets the entry at its own index. */
  complete(output: unknown): void {
    let results: readonly unknown[];
    try {
      results = checkBatchResult(output, this.size);
    } catch (error) {
      this.fail(error);
      return;
    }
    if (!this.#end()) return;
    for (const [index, item] of this.items.entries()) {
      const result = results[index];
      if (result instanceof Error) item.reject(toItemError(result));
      else item.resolve(result as O);
    }
  }

  /** Ends the batch with an error for every item. */
  fail(error: unknown): void {
    this.error = toBatchError(error);
    if (!this.#end()) return;
    for (const item of this.items) item.reject(this.error);
  }

  /** Tells the lane that `item` has ended before the batch. */
  depart(item: BatchItem<I, O>): void {
    this.onDeparture?.(this.items.indexOf(item));
  }

  #end(): boolean {
    if (this.endedAt !== undefined) return false;
    // The lane is free from here on, whatever the items' callbacks do.
    this.#onEnded(this);
    return true;
  }
}
