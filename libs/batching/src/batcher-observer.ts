import type { ServingError } from '#model';
import type { BatchTrigger } from './lane/batch.js';

/** A batch as an observer may see it. */
export interface ObservedBatch {
  /** Unique within its batcher. */
  readonly id: number;
  readonly size: number;
  /** Why it started when it did. */
  readonly trigger: BatchTrigger;
  /** Each item's arrival, in clock milliseconds. */
  readonly items: readonly { readonly arrival: number }[];
  /** Clock time at which it was handed to its lane, in milliseconds. */
  readonly startedAt: number;
  /** Clock time at which it ended, in milliseconds; `undefined` while it runs. */
  readonly endedAt: number | undefined;
  /** Why it failed as a whole. */
  readonly error: ServingError | undefined;
  /** Whether its handler streams. What runs for a while and has a size are then its steps. */
  readonly streams?: boolean;
}

/** A lane as an observer may see it. */
export interface ObservedLane {
  readonly id: number;
  readonly device: string;
}

/** Hears what a batcher does, for metrics and logs. An observer must not throw. */
export interface BatcherObserver {
  batchStarted?(batch: ObservedBatch, lane: ObservedLane): void;
  batchEnded?(batch: ObservedBatch, lane: ObservedLane): void;
  /** A step of a streaming batch has ended; `items` are those for which it was the first. */
  stepEnded?(step: ObservedBatch, lane: ObservedLane): void;
  /**
   * A batch, with all the parts it was taken into after a failure, has ended: with `undefined` when any of its
   * items got a result. One bad item is no failure of the model, nor is `cancelled`: all its clients had left.
   *
   * @param batchId of the batch that was taken apart, not of its parts
   */
  batchJudged?(failure: ServingError | undefined, batchId: number): void;
  /** The window policy has thrown for the first time; what it does not say starts at once. */
  windowFailed?(error: unknown): void;
}
