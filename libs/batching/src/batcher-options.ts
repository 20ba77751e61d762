import type { CancelSignal, StreamingMode } from '#model';
import type { WindowPolicy } from './window/window-policy.js';

/** The settings of one {@link DynamicBatcher}. */
export interface BatcherOptions {
  /** Most items in one batch, an integer ≥ 1. */
  readonly maxBatchSize: number;
  /** Most that the costs of the items in one batch may add up to. Default: no limit. */
  readonly maxBatchCost?: number;
  /** Batch sizes that the model runs best, ascending: a batch that is not full is cut down to one of them. */
  readonly preferredBatchSizes?: readonly number[];
  /** Longest time a free lane may hold a batch open, in milliseconds, ≥ 0. */
  readonly maxWaitMs: number;
  /** Most items that may wait, an integer ≥ 1. Items in running batches do not count. */
  readonly maxQueueSize: number;
  /** Most time that an item should wait for its batch, in milliseconds: admission refuses what would wait longer. */
  readonly maxQueueDelayMs?: number;
  /** Time from arrival within which an item must end, in milliseconds, > 0. */
  readonly timeoutMs: number;
  /**
   * Time from arrival to answer that 95 % of the items should stay below, in milliseconds. It steers the batch limit;
   * and where `maxQueueDelayMs` is not set, admission refuses what would miss it because of those that wait before it.
   */
  readonly targetLatencyMs?: number;
  /** Whether an item may run again after its batch has failed or its worker has died. Default: it may. */
  readonly idempotent?: boolean;
  /**
   * Time that a batch, or a step of a stream, may run before its lane counts as hung, in milliseconds. Default: what
   * has been learned says.
   */
  readonly runTimeoutMs?: number;
  /** Wait after which an item goes before all priorities, in milliseconds. Default 5 s. */
  readonly starvationMs?: number;
  /** How the handler streams. Default: it does not. */
  readonly streaming?: StreamingMode | undefined;
  /** Most tokens that may wait for one reader of a stream, ≥ 1. Default 1024. */
  readonly maxStreamBuffer?: number;
  /** How long a free lane waits for more items. */
  readonly window: WindowPolicy;
}

/** The priority of an item that names none. */
export const DEFAULT_PRIORITY = 5;

/** What a caller says about one item besides its value. */
export interface SubmitOptions {
  readonly requestId?: string | undefined;
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Time from now within which the item must end, in milliseconds; the batcher's `timeoutMs` bounds it. */
  readonly timeoutMs?: number | undefined;
  /** 1 is the highest; 0 or left out is the default, 5. */
  readonly priority?: number | undefined;
  /** What the item counts for against `maxBatchCost`, ≥ 0. Default 1. */
  readonly cost?: number | undefined;
  /** Only items of one signature share a batch. Default: one signature for all. */
  readonly signature?: string | undefined;
  /** Withdraws the item. */
  readonly signal?: CancelSignal | undefined;
}
