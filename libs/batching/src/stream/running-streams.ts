import { ServingError } from '#model';
import type { Clock, Timer } from '../clock/clock.js';
import type { StreamingBatch } from '../lane/streaming-batch.js';
import type { BatchItem } from '../queue/batch-item.js';

/** How long readers may keep a batch standing while others wait for its place, in milliseconds. */
const STALL_MS = 1000;

/** What the leader of streaming batches asks of the dispatcher. */
export interface StreamHost<I, O> {
  /** Takes the waiting items that may join `batch` now out of the queue. */
  takeJoiners(batch: StreamingBatch<I, O>, now: number): readonly BatchItem<I, O>[];
  /** Whether items wait for a lane to become free. */
  isLaneWanted(): boolean;
  /** Ends an item before its batch does. */
  withdraw(item: BatchItem<I, O>, error: ServingError): void;
}

/**
 * Leads streaming batches from step to step. A batch goes on while any of its readers has room, and stands still
 * while none has: with a single reader that is true back-pressure. Readers that keep a batch standing while others
 * wait for its place, or that fall too far behind while others go on, are ended.
 */
export class RunningStreams<I, O> {
  readonly #clock: Clock;
  readonly #host: StreamHost<I, O>;
  /** Batches that stand still, each with the clock time since when. */
  readonly #standing = new Map<StreamingBatch<I, O>, number>();
  #stallTimer: Timer | undefined;

  constructor(clock: Clock, host: StreamHost<I, O>) {
    this.#clock = clock;
    this.#host = host;
  }

  /** Decides how a batch between two steps goes on. */
  goOn(batch: StreamingBatch<I, O>): void {
    const now = this.#clock.now();
    if (batch.size === 0) {
      this.forget(batch);
      batch.close();
      return;
    }
    const joined = this.#host.takeJoiners(batch, now);
    if (joined.length > 0 || batch.isWanted) {
      this.forget(batch);
      batch.next(joined, now);
      return;
    }
    if (!this.#standing.has(batch)) this.#standing.set(batch, now);
    this.#watchStalls(STALL_MS);
  }

  /** Looks again at the batches that stand still. */
  review(): void {
    for (const batch of this.#standing.keys()) this.goOn(batch);
  }

  /** Forgets a batch that goes on or has ended. */
  forget(batch: StreamingBatch<I, O>): void {
    this.#standing.delete(batch);
    if (this.#standing.size > 0) return;
    this.#stallTimer?.cancel();
    this.#stallTimer = undefined;
  }

  /** Ends an item whose reader holds up others, or can hold no more. */
  endSlowReader(item: BatchItem<I, O>): void {
    const message = 'tokens were read too slowly, and others could not wait';
    this.#host.withdraw(item, new ServingError('slow_reader', message));
  }

  #watchStalls(delayMs: number): void {
    if (this.#stallTimer !== undefined || !this.#host.isLaneWanted()) return;
    this.#stallTimer = this.#clock.setTimer(delayMs, () => {
      this.#stallTimer = undefined;
      this.#endStalls();
    });
  }

  #endStalls(): void {
    if (!this.#host.isLaneWanted()) return;
    let next = Infinity;
    for (const [batch, since] of this.#standing) {
      const leftMs = since + STALL_MS - this.#clock.now();
      // A copy, since who is ended leaves the batch.
      const readers = leftMs > 0 ? [] : [...batch.items];
      if (leftMs > 0) next = Math.min(next, leftMs);
      for (const item of readers) this.endSlowReader(item);
    }
    if (next < Infinity) this.#watchStalls(next);
  }
}
