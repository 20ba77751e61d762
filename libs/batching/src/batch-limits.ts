import type { BatchPace } from './batch-pace.js';
import type { BatcherOptions } from './batcher-options.js';
import type { FailedBatches } from './isolation/failed-batches.js';
import type { ArrivalQueue } from './queue/arrival-queue.js';

/** What the size of a batch depends on. */
export interface BatchLimitSources<I, O> {
  readonly pace: BatchPace;
  readonly failed: FailedBatches<I, O>;
  readonly queue: ArrivalQueue<I, O>;
  readonly getOptions: () => BatcherOptions;
}

/** How many items a batch may hold now. */
export class BatchLimits<I, O> {
  readonly #sources: BatchLimitSources<I, O>;

  constructor(sources: BatchLimitSources<I, O>) {
    this.#sources = sources;
  }

  /** Most items of any batch: the option, or less where latency or memory ask for it. */
  get most(): number {
    const { pace, failed } = this.#sources;
    return Math.min(pace.limit, failed.memoryLimit);
  }

  /** Items that a full batch holds where they cost as much as those that wait. */
  get usual(): number {
    const { queue, getOptions } = this.#sources;
    const { maxBatchCost = Infinity } = getOptions();
    const { meanCost } = queue;
    return meanCost === 0 ? this.most : Math.max(1, Math.min(this.most, Math.floor(maxBatchCost / meanCost)));
  }
}
