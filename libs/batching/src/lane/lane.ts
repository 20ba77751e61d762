import type { Batch } from './batch.js';

/** One worker's own slot: it runs one batch at a time. */
export interface Lane<I, O> {
  /** Unique among the lanes of its model version. */
  readonly id: number;
  /** `cpu`, `cuda:0`, … */
  readonly device: string;
  /**
   * Starts a batch and returns at once. The lane ends it by `batch.complete()` or `batch.fail()`, in its own
   * time, and gets no other before that. Must not throw.
   */
  start(batch: Batch<I, O>): void;
  /**
   * Gives up the worker, whose batch has run too long. The lane gets no batch after this, and what it may still answer
   * counts for nothing. A lane without this can go on.
   */
  giveUp?(): void;
  /** Replaces the lane's worker, which even the smallest batch can't be run on any more. It gets no batch after this. */
  recycle?(): void;
}
