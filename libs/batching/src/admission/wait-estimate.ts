import type { BatchPace } from '../batch-pace.js';
import type { FailedBatches } from '../isolation/failed-batches.js';
import type { Batch } from '../lane/batch.js';
import type { LaneTable } from '../lane/lane-table.js';
import type { ArrivalQueue } from '../queue/arrival-queue.js';
import type { EventLoopDelay } from './loop-delay.js';

/** What a batcher knows when somebody asks how long he would wait. */
export interface WaitEstimateSources<I, O> {
  readonly queue: ArrivalQueue<I, O>;
  readonly failed: FailedBatches<I, O>;
  readonly lanes: LaneTable<I, O>;
  readonly pace: BatchPace;
  readonly loopDelay: EventLoopDelay;
  /** Most items that a batch may hold now, by their number and by what the waiting ones cost on average. */
  getLimit(): number;
}

/** Items that would arrive together. */
export interface ArrivingItems {
  readonly count: number;
  /** 1 is the highest: only items of this priority and of higher ones go before them. */
  readonly priority: number;
  /** Clock time; of the items of the same priority, only those with an earlier deadline go before them. */
  readonly deadline: number;
}

/** How long the last of some arriving items would wait and take, in milliseconds from now. */
export interface PredictedWait {
  readonly untilStartMs: number;
  readonly untilAnswerMs: number;
  /** The same where others come that fill its batch. */
  readonly untilAnswerOfFullBatchMs: number;
  /** Whether a full batch for each lane goes before. */
  readonly isBehindBacklog: boolean;
}

/**
 * Predicts when items that arrive now would be answered: what is left of the batches in flight, then what goes before
 * them, at the rate of the lanes that are alive (Little's law on capacity, not on what was completed lately: on a
 * server that had little to do, the rate of completions is the demand, and says nothing of what it could do).
 *
 * It remembers nothing, so it is right at once after an idle spell, and costs O(lanes + signatures that wait). What other
 * models do on a device that they share it does not foresee.
 */
export class WaitEstimate<I, O> {
  readonly #sources: WaitEstimateSources<I, O>;
  readonly #untilFreeMs: number[] = [];
  /** What a batch takes on a lane of the mean rate; 0 while it is not known. */
  readonly #safeMs = (size: number): number => {
    const { lanes, pace } = this.#sources;
    return pace.serviceTimes.meanSafeMs(lanes.alive, lanes.size, size);
  };

  constructor(sources: WaitEstimateSources<I, O>) {
    this.#sources = sources;
  }

  /**
   * @param now clock time, in milliseconds
   * @returns `undefined` while too few batches have run to say, or no lane is alive
   */
  predict(items: ArrivingItems, now: number): PredictedWait | undefined {
    const { lanes, loopDelay } = this.#sources;
    const limit = this.#sources.getLimit();
    const fullBatchMs = this.#safeMs(limit);
    if (fullBatchMs === 0 || lanes.size === 0) return undefined;
    const { aheadMs, batchSize } = this.#workBefore(items, limit);
    const untilStartMs = this.#untilStart(aheadMs, fullBatchMs, now);
    const withoutRunMs = untilStartMs + loopDelay.expectedMs(now);
    return {
      untilStartMs,
      untilAnswerMs: withoutRunMs + this.#safeMs(batchSize),
      untilAnswerOfFullBatchMs: withoutRunMs + fullBatchMs,
      isBehindBacklog: aheadMs >= fullBatchMs * lanes.size,
    };
  }

  /**
   * How long until so many of the waiting items have left for a batch, in milliseconds; `undefined` while it is not
   * known.
   */
  untilLeft(count: number, now: number): number | undefined {
    const limit = this.#sources.getLimit();
    const fullBatchMs = this.#safeMs(limit);
    if (fullBatchMs === 0 || this.#sources.lanes.size === 0) return undefined;
    return this.#untilStart((Math.ceil(count / limit) - 1) * fullBatchMs, fullBatchMs, now);
  }

  /** The run time of the batches that go before that of the last of `items`, and how many items that one holds. */
  #workBefore(
    { count, priority, deadline }: ArrivingItems,
    limit: number,
  ): { aheadMs: number; batchSize: number } {
    const { queue, failed } = this.#sources;
    let aheadMs = failed.runMs(this.#safeMs);
    // Of which signature they are is not known yet: they join the group that leaves least of a batch free.
    let joined = 0;
    for (const group of queue.groups) {
      const waiting = group.countBefore(priority, deadline);
      const open = waiting % limit;
      aheadMs += ((waiting - open) / limit) * this.#safeMs(limit);
      if (open > joined) {
        aheadMs += joined === 0 ? 0 : this.#safeMs(joined);
        joined = open;
      } else if (open > 0) {
        aheadMs += this.#safeMs(open);
      }
    }
    const last = joined + count - 1;
    return {
      aheadMs: aheadMs + Math.floor(last / limit) * this.#safeMs(limit),
      batchSize: (last % limit) + 1,
    };
  }

  /**
   * When the batch starts before which `aheadMs` of work are done by whichever lane is free first. With i lanes that
   * are free after f₁ … fᵢ this is (f₁ + … + fᵢ + aheadMs) / i, less half a batch for each lane but the first, since
   * batches are not divided; a lane takes part if it is free before.
   */
  #untilStart(aheadMs: number, fullBatchMs: number, now: number): number {
    const untilFree = this.#lanesUntilFree(now);
    let start = Infinity;
    let sum = 0;
    for (let lane = 0; lane < untilFree.length; lane++) {
      sum += untilFree[lane]!;
      start = Math.min(start, (sum + aheadMs - (lane / 2) * fullBatchMs) / (lane + 1));
    }
    return Math.max(start, untilFree[0]!);
  }

  /** How long until each lane that is alive is free, ascending. */
  #lanesUntilFree(now: number): readonly number[] {
    const untilFree = this.#untilFreeMs;
    untilFree.length = 0;
    for (const lane of this.#sources.lanes.alive) {
      const batch = this.#sources.lanes.batchOn(lane);
      untilFree.push(batch === undefined ? 0 : this.#remainingMs(batch, lane.device, now));
    }
    return untilFree.sort((a, b) => a - b);
  }

  /**
   * What is left of a batch in flight. One that is overdue is expected to take as long again as it is overdue, so
   * that a lane that hangs counts for less and less.
   */
  #remainingMs({ size, startedAt }: Batch<I, O>, device: string, now: number): number {
    const { serviceTimes } = this.#sources.pace;
    return Math.abs(serviceTimes.on(device).safeMs(size) - (now - startedAt));
  }
}
