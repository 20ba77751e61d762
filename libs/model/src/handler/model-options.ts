/**
 * Ways to measure an item: `bytes` of its tensors and texts, `elements` of its tensors and lists, `length` of
 * its text or of its longest free axis.
 */
export type BuiltInCost = 'bytes' | 'elements' | 'length';

/**
 * What becomes of a model whose batches give other results than its single runs, seen before it serves: it is refused,
 * runs one item at a time, or is not looked at.
 */
export type SelfCheck = 'refuse' | 'limit' | 'off';

/**
 * What a worker is: a `thread` of the server, which costs least; or a `process` of its own, for models whose native
 * code may hang or crash.
 */
export type WorkerIsolation = 'thread' | 'process';

/** The settings of a model version that its author gives a default for and its operator may override. */
export interface ModelOptions {
  /** Most items in one batch, ≥ 1. */
  readonly maxBatchSize: number;
  /** Most that the costs of the items in one batch may add up to. Default: no limit. */
  readonly maxBatchCost?: number;
  /** What an item counts for against `maxBatchCost`. Default: 1 each. */
  readonly cost?: BuiltInCost;
  /** Batch sizes that the model runs best, ascending: a batch that is not full is cut down to one of them. */
  readonly preferredBatchSizes?: readonly number[];
  /**
   * Lengths, ascending, that divide items of variable length into buckets; only items of one bucket share a
   * batch, which the handler may pad to the longest of them. Default: only items of equal shape share a batch.
   */
  readonly lengthBuckets?: readonly number[];
  /** Names of `parameters` that must be equal for items to share a batch. Default: none; each item has its own. */
  readonly matchParameters?: readonly string[];
  /** Longest time a free worker may hold a batch open for more items, in milliseconds, ≥ 0. */
  readonly maxWaitMs: number;
  /** The window policy: `auto`, `eager`, `fixed`, or one that the application has registered. */
  readonly window: string;
  /** Most items that may wait, not counting those in running batches, ≥ 1. More are refused with 429. */
  readonly maxQueueSize: number;
  /**
   * Most time that a request should wait for its batch, in milliseconds, ≥ 0: what would wait longer is refused with
   * 429. Default: no bound but those of the deadline and of `targetLatencyMs`.
   */
  readonly maxQueueDelayMs?: number;
  /** Most tokens that may wait for one reader of a stream, ≥ 1; a reader that falls further behind is ended. */
  readonly maxStreamBuffer: number;
  /** Time from arrival within which a request must be answered, in milliseconds, > 0. */
  readonly timeoutMs: number;
  /**
   * Aim for the 95th percentile of the end-to-end latency, in milliseconds. It steers the batch limit, and it refuses
   * with 429 what would miss it because of those that wait before it; it never ends a run.
   */
  readonly targetLatencyMs?: number;
  /** Workers, each with its own copy of the model, ≥ 1. */
  readonly workers: number;
  /** What its workers are. */
  readonly isolation: WorkerIsolation;
  /**
   * Whether an item may run a second time, after its batch has failed or its worker has died. Where it may not, each
   * item that was in such a batch fails.
   */
  readonly idempotent: boolean;
  /**
   * Time that one batch, or one step of a stream, may run before its worker counts as hung, in milliseconds. Default:
   * far above what batches are seen to take, and never below `timeoutMs`; none for streams.
   */
  readonly runTimeoutMs?: number;
  /** Batches after which a worker is replaced. Default: never. */
  readonly recycleBatches?: number;
  /** Age at which a worker is replaced, in milliseconds. Default: never. */
  readonly recycleAgeMs?: number;
  /** Memory above which a worker is replaced, in bytes: of its heap and buffers; of a process, all that it holds. */
  readonly recycleMemoryBytes?: number;
  /** Time within which a worker must have loaded the model, in milliseconds. */
  readonly loadTimeoutMs: number;
  /** What is done about a model whose batches differ from its single runs; only models with samples are checked. */
  readonly selfCheck: SelfCheck;
  /** Devices to place the workers on, for example `['cuda:0', 'cuda:1']`. Default: any of the server's. */
  readonly devices?: readonly string[];
  /** Consecutive failed batches that open the circuit breaker, ≥ 1. */
  readonly breakerThreshold: number;
  /** Time for which an open breaker refuses before it lets one batch probe, in milliseconds. */
  readonly breakerRecoveryMs: number;
  /** Share of the last `breakerFailureWindow` batches, between 0 and 1, above which the breaker opens too. */
  readonly breakerFailureRate?: number;
  /** Batches that `breakerFailureRate` looks at, ≥ 1. */
  readonly breakerFailureWindow: number;
}

/** What holds where neither the model's author nor its operator says otherwise. */
export const DEFAULT_MODEL_OPTIONS: ModelOptions = {
  maxBatchSize: 32,
  maxWaitMs: 10,
  window: 'auto',
  maxQueueSize: 128,
  maxStreamBuffer: 1024,
  timeoutMs: 30_000,
  workers: 1,
  isolation: 'thread',
  idempotent: true,
  loadTimeoutMs: 120_000,
  selfCheck: 'refuse',
  breakerThreshold: 5,
  breakerRecoveryMs: 10_000,
  breakerFailureWindow: 50,
};
