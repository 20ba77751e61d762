import { LoopDelay } from './admission/loop-delay.js';
import type { Clock, Timer } from './clock/clock.js';

/** Has batches started when there may be something to start: after arrivals, and when a hold is over. */
export class DispatchTrigger {
  /** How long the event loop makes a dispatch wait. */
  readonly loopDelay = new LoopDelay();
  readonly #clock: Clock;
  readonly #dispatch: () => void;
  #holdTimer: Timer | undefined;
  #isPending = false;

  constructor(clock: Clock, dispatch: () => void) {
    this.#clock = clock;
    this.#dispatch = dispatch;
  }

  /** Dispatches once this turn of the event loop has read what there is: it should leave in one batch. */
  soon(): void {
    if (this.#isPending) return;
    this.#isPending = true;
    const from = this.#clock.now();
    this.#clock.afterArrivals(() => {
      const now = this.#clock.now();
      this.loopDelay.observe(now - from, now);
      this.#isPending = false;
      this.#dispatch();
    });
  }

  /** Dispatches in `delayMs` milliseconds, if nothing else makes it before. */
  in(delayMs: number): void {
    this.#holdTimer = this.#clock.setTimer(delayMs, this.#dispatch);
  }

  /** Notes a dispatch, which decides anew how long to hold. */
  dispatched(): void {
    this.#holdTimer?.cancel();
    this.#holdTimer = undefined;
  }
}
