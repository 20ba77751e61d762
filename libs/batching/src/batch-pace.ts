import type { ObservedBatch } from './batcher-observer.js';
import type { BatcherOptions } from './batcher-options.js';
import { AdaptiveLimit, type LimitTarget } from './limit/adaptive-limit.js';
import { ServiceTimes } from './service-time/service-times.js';

/** A batch that runs so many times as long as it almost surely does, does not run any more. */
const HUNG_FACTOR = 10;

/** What is learned from the batches that ran: how long they take, and how large they should be. */
export class BatchPace {
  /** How long batches run, by device. */
  readonly serviceTimes = new ServiceTimes();
  readonly #limit: AdaptiveLimit;
  #lastCompletion = -Infinity;

  constructor(options: BatcherOptions) {
    this.#limit = new AdaptiveLimit(targetOf(options));
  }

  /** Most items that a batch should hold. */
  get limit(): number {
    return this.#limit.limit;
  }

  /** Clock time at which the last batch ended, in milliseconds. */
  get lastCompletion(): number {
    return this.#lastCompletion;
  }

  /**
   * Milliseconds after which a batch of `size` items on `device`, whose model says nothing of it, counts as hung. Until its
   * clients' time is up nothing is lost by waiting; while too little is known, nothing counts as hung.
   */
  hungAfterMs(device: string, size: number, timeoutMs: number): number {
    const safeMs = this.serviceTimes.on(device).safeMs(size);
    return safeMs === 0 ? Infinity : Math.max(timeoutMs, HUNG_FACTOR * safeMs);
  }

  configure(options: BatcherOptions): void {
    this.#limit.configure(targetOf(options));
  }

  /** Learns from a batch that has ended on `device` at clock time `now`. */
  observe(
    { items, size, error, streams, trigger, startedAt }: ObservedBatch,
    device: string,
    now: number,
  ): void {
    this.#lastCompletion = now;
    // A failure says nothing about the time that success takes, and a stream takes as long as its readers.
    if (error !== undefined || streams === true) return;
    const runMs = now - startedAt;
    this.serviceTimes.observe(device, size, runMs);
    // A part of a failed batch had to wait for the rest of it, which no limit could have helped.
    if (trigger === 'retry') return;
    const oldestArrival = items.reduce((oldest, { arrival }) => Math.min(oldest, arrival), startedAt);
    const waitMs = startedAt - oldestArrival;
    const { expectedMs, knowsSizes } = this.serviceTimes.on(device);
    this.#limit.observe({ size, runMs, waitMs, serviceTimeMs: expectedMs, knowsSizes });
  }
}

function targetOf({ maxBatchSize, targetLatencyMs = Infinity }: BatcherOptions): LimitTarget {
  return { maximum: maxBatchSize, targetLatencyMs };
}
