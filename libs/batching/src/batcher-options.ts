import type { WindowPolicy } from './window/window-policy.js';

/** The settings of one {@link DynamicBatcher}. */
export interface BatcherOptions {
  /** Most items in one batch, an integer ≥ 1. */
  readonly maxBatchSize: number;
  /** Longest time a free lane may hold a batch open, in milliseconds, ≥ 0. */
  readonly maxWaitMs: number;
  /** Most items that may wait, an integer ≥ 1. Items in running batches do not count. */
  readonly maxQueueSize: number;
  /** Time from arrival within which an item must end, in milliseconds, > 0. */
  readonly timeoutMs: number;
  /** How long a free lane waits for more items. */
  readonly window: WindowPolicy;
}

/** What a caller says about one item besides its value. */
export interface SubmitOptions {
  readonly requestId?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Time from now within which the item must end, in milliseconds; the batcher's `timeoutMs` bounds it. */
  readonly timeoutMs?: number;
  /** Only items of one signature share a batch. Default: one signature for all. */
  readonly signature?: string;
  /** Withdraws the item. */
  readonly signal?: AbortSignal;
}
