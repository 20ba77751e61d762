import type { ServingError } from '#model';
import type { Isolation } from '../isolation/isolation.js';
import type { BatchItem } from '../queue/batch-item.js';
import { checkBatchResult } from '../result/batch-result.js';
import { toBatchError, toItemError } from '../result/handler-error.js';

/** Why a batch started: it was full, its window said so, it is a part of a failed batch, or a step of a stream. */
export type BatchTrigger = 'full' | 'window' | 'retry' | 'step';

/**
 * Items that run together. The lane that was given it ends it exactly once, by {@link complete} or
 * {@link fail}.
 */
export class Batch<I, O> {
  /** Whether it is a `StreamingBatch`. */
  readonly streams: boolean = false;
  /** Told the index of an item whose client has left or whose deadline has passed while the batch runs. */
  onDeparture: ((index: number) => void) | undefined;
  /** Why the batch failed as a whole; `undefined` while it runs and after it succeeded. */
  error: ServingError | undefined;
  /** Why it started when it did. */
  trigger: BatchTrigger = 'window';
  /** Clock time at which it ended, in milliseconds. */
  endedAt: number | undefined;
  readonly #onEnded: (batch: Batch<I, O>) => void;

  /**
   * @param id unique within its batcher
   * @param startedAt clock time at which it is handed to its lane, in milliseconds
   * @param isolation set when it is a part of a failed batch
   * @param onEnded told when it has ended, before its items are
   */
  constructor(
    readonly id: number,
    readonly items: readonly BatchItem<I, O>[],
    public startedAt: number,
    readonly isolation: Isolation | undefined,
    onEnded: (batch: Batch<I, O>) => void,
  ) {
    this.#onEnded = onEnded;
  }

  get size(): number {
    return this.items.length;
  }

  /** Whether it says nothing of its model: its handler failed when all clients had left, perhaps for that reason. */
  get isInconclusive(): boolean {
    return (
      this.error?.code === 'handler_failed' && this.items.every(({ error }) => error?.code === 'cancelled')
    );
  }

  /** Ends the batch with what the handler returned: each item gets the entry at its own index. */
  complete(output: unknown): void {
    if (this.endedAt !== undefined) return;
    let results: readonly unknown[];
    try {
      results = checkBatchResult(output, this.size);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.#onEnded(this);
    for (let index = 0; index < this.items.length; index++) {
      const result = results[index];
      if (result instanceof Error) this.items[index]!.reject(toItemError(result));
      else this.items[index]!.resolve(result as O);
    }
  }

  /** Ends the batch with an error. What becomes of its items is for the batcher to say. */
  fail(error: unknown): void {
    if (this.endedAt !== undefined) return;
    this.error = toBatchError(error);
    this.#onEnded(this);
  }

  /** Tells the lane that `item` has ended before the batch. */
  depart(item: BatchItem<I, O>): void {
    this.onDeparture?.(this.items.indexOf(item));
  }
}
