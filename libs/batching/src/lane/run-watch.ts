import type { Clock, Timer } from '../clock/clock.js';
import type { Batch } from './batch.js';

/** Notices batches, and steps of streams, that run too long: their lane may be hung. */
export class RunWatch<I, O> {
  readonly #clock: Clock;
  readonly #timers = new Map<Batch<I, O>, Timer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Begins to watch a batch that runs from now on.
   *
   * @param limitMs time that it may run, in milliseconds; `Infinity` for any
   * @param overran called once, if nobody says {@link forget} before
   */
  watch(batch: Batch<I, O>, limitMs: number, overran: () => void): void {
    this.forget(batch);
    if (limitMs === Infinity) return;
    const until = this.#clock.now() + limitMs;
    const set = (delayMs: number) => {
      this.#timers.set(
        batch,
        this.#clock.setTimer(delayMs, () => {
          const leftMs = until - this.#clock.now();
          if (leftMs > 0) return set(leftMs);
          this.#timers.delete(batch);
          overran();
        }),
      );
    };
    set(limitMs);
  }

  /** The batch has ended, or stands between two steps. */
  forget(batch: Batch<I, O>): void {
    this.#timers.get(batch)?.cancel();
    this.#timers.delete(batch);
  }
}
