/** What a window policy sees when a lane is free and items wait. */
export interface WindowState {
  /** Clock time, in milliseconds. */
  readonly now: number;
  /** Items that could go in this batch, ≥ 1 and below `limit`. */
  readonly waiting: number;
  /** Most items that a batch may hold now. */
  readonly limit: number;
  /** Arrival of the item that has waited longest, in clock milliseconds. */
  readonly oldestArrival: number;
  /** Since when a lane has been free, in clock milliseconds. */
  readonly freeSince: number;
  /** The lane that would take the batch. */
  readonly lane: number;
  /** Lanes that are alive, free or busy, ≥ 1. */
  readonly lanes: number;
  /** The model's `maxWaitMs`. */
  readonly maxWaitMs: number;
  /** Expected run time of a batch of `size` items, in milliseconds; 0 while nothing is known. */
  readonly serviceTimeMs: (size: number) => number;
}

/** A batch that has been handed to its lane. */
export interface Start {
  /** Clock time, in milliseconds. */
  readonly now: number;
  /** The lane that is busy from now on. */
  readonly lane: number;
  /** Items in the batch. */
  readonly size: number;
}

/** A batch that has ended, as a window policy may learn from it. */
export interface Completion {
  /** Clock time, in milliseconds. */
  readonly now: number;
  /** The lane that is free now. */
  readonly lane: number;
  /** Items in the batch. */
  readonly size: number;
  /** The sum over its items of the time from arrival to now, in milliseconds. */
  readonly latencyMs: number;
}

/**
 * Decides how long a free lane waits for more items. One instance serves one model version.
 *
 * The batcher does not ask when a batch is full, and asks again at every arrival and at the time returned.
 */
export interface WindowPolicy {
  /**
   * Clock time, in milliseconds, at which the batch should start. Now or earlier: at once. Whatever it says, a batch
   * is held no longer than `maxWaitMs` from when a lane was free and an item waited, and than its deadlines allow.
   */
  dispatchAt(state: WindowState): number;
  /** Hears of every arrival, whether or not a lane is free. */
  arrived?(now: number): void;
  /** Hears of the start of every batch. */
  started?(start: Start): void;
  /** Hears of the end of every batch. */
  completed?(completion: Completion): void;
}

/** Makes the policy of one model version. */
export type WindowPolicyFactory = () => WindowPolicy;
