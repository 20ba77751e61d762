import { ServingError } from '#model';
import { DEFAULT_PRIORITY, type BatcherOptions } from '../batcher-options.js';
import type { Clock } from '../clock/clock.js';
import type { LaneTable } from '../lane/lane-table.js';
import type { ArrivalQueue } from '../queue/arrival-queue.js';
import type { PredictedWait, WaitEstimate } from './wait-estimate.js';

/** Share of the target latency that is kept for the way in and out. */
const RESERVE = 0.1;

/** What a caller may say of a request that asks whether it may come in. */
export interface AdmissionRequest {
  /** Time from now within which it must be answered, in milliseconds; the batcher's `timeoutMs` bounds it. */
  readonly timeoutMs?: number | undefined;
  /** 1 is the highest; 0 or left out is the default, 5. */
  readonly priority?: number | undefined;
}

/** What an admission looks at. */
export interface AdmissionSources<I, O> {
  readonly queue: ArrivalQueue<I, O>;
  readonly lanes: LaneTable<I, O>;
  readonly estimate: WaitEstimate<I, O>;
  readonly clock: Clock;
  readonly getOptions: () => BatcherOptions;
}

/**
 * Refuses what cannot be served, or not in time, while its client can still go elsewhere, and before any work has
 * been spent on it.
 */
export class Admission<I, O> {
  readonly #sources: AdmissionSources<I, O>;
  #closed: ServingError | undefined;

  constructor(sources: AdmissionSources<I, O>) {
    this.#sources = sources;
  }

  /** Refuses everything with `reason` from now on. */
  close(reason: ServingError): void {
    this.#closed ??= reason;
  }

  /**
   * Throws the error with which `count` items cannot even wait, or returns.
   *
   * @throws {ServingError} the reason given to {@link close}, `no_worker`, or `queue_full`
   */
  assertRoom(count: number): void {
    const { queue, lanes, getOptions, estimate, clock } = this.#sources;
    if (this.#closed !== undefined) throw this.#closed;
    if (lanes.size === 0) {
      throw new ServingError('no_worker', 'no worker of this model is alive', { retryAfterSeconds: 1 });
    }
    const { maxQueueSize } = getOptions();
    const surplus = queue.size + count - maxQueueSize;
    if (surplus <= 0) return;
    const message = `${queue.size} of at most ${maxQueueSize} items wait already`;
    const roomInMs = estimate.untilLeft(surplus, clock.now()) ?? 0;
    throw new ServingError('queue_full', message, { retryAfterSeconds: toWholeSeconds(roomInMs) });
  }

  /**
   * Throws the error with which `count` items should be refused because they would wait too long, or returns. A free
   * lane for which nothing waits takes whatever comes: only so can an estimate be corrected that refuses everything.
   *
   * @throws {ServingError} `predicted_late`
   */
  assertOnTime(count: number, { timeoutMs = Infinity, priority }: AdmissionRequest): void {
    const { queue, lanes, clock, getOptions } = this.#sources;
    if (queue.size === 0 && lanes.hasFree) return;
    const options = getOptions();
    const now = clock.now();
    const dueMs = Math.min(timeoutMs, options.timeoutMs);
    const last = this.#predict(count, priority || DEFAULT_PRIORITY, dueMs, now);
    if (last === undefined) return;
    if (last.untilAnswerMs > dueMs) throw late(last.untilAnswerMs, dueMs, 'be answered after its deadline');
    const { maxQueueDelayMs, targetLatencyMs } = options;
    if (maxQueueDelayMs === undefined && targetLatencyMs === undefined) return;
    // A list may be longer than the model's own aims allow; what it would wait for the others is what counts.
    const first = count === 1 ? last : this.#predict(1, priority || DEFAULT_PRIORITY, dueMs, now)!;
    if (maxQueueDelayMs !== undefined) {
      if (first.untilStartMs > maxQueueDelayMs)
        throw late(first.untilStartMs, maxQueueDelayMs, 'wait longer than max_queue_delay');
    } else {
      this.#assertReachesTarget(first, targetLatencyMs!);
    }
  }

  #assertReachesTarget(
    { isBehindBacklog, untilAnswerOfFullBatchMs }: PredictedWait,
    targetLatencyMs: number,
  ): void {
    // What the lanes take next is let in even where the target is out of reach, or nothing would be served.
    if (!isBehindBacklog) return;
    // Where there is a backlog, others come that fill the batch.
    const allowedMs = (1 - RESERVE) * targetLatencyMs;
    if (untilAnswerOfFullBatchMs > allowedMs)
      throw late(untilAnswerOfFullBatchMs, allowedMs, 'miss target_latency');
  }

  #predict(count: number, priority: number, dueMs: number, now: number): PredictedWait | undefined {
    const { estimate } = this.#sources;
    const behindAll = estimate.predict({ count, priority, deadline: Infinity }, now);
    // Only where it matters it is worth counting who would be overtaken.
    if (behindAll === undefined || behindAll.untilAnswerMs <= dueMs) return behindAll;
    return estimate.predict({ count, priority, deadline: now + dueMs }, now);
  }
}

function late(predictedMs: number, allowedMs: number, bound: string): ServingError {
  const message = `it would ${bound}: about ${inSeconds(predictedMs)} in place of ${inSeconds(allowedMs)}`;
  return new ServingError('predicted_late', message, {
    retryAfterSeconds: toWholeSeconds(predictedMs - allowedMs),
  });
}

function inSeconds(milliseconds: number): string {
  return `${Number((milliseconds / 1000).toPrecision(2))} s`;
}

function toWholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
