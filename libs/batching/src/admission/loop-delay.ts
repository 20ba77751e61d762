/** Of a delay that was seen, the share that is still expected a second later. */
const KEPT_PER_SECOND = 0.25;

/** How long what has arrived waits for its turn on the thread that answers it. */
export interface EventLoopDelay {
  /** Milliseconds, at clock time `now`. */
  expectedMs(now: number): number;
}

/**
 * Learns from how long the turns of the event loop take in which requests arrive. It keeps no timer of its own: on an
 * idle server nothing is measured, and what was seen before is forgotten with time.
 */
export class LoopDelay implements EventLoopDelay {
  #delayMs = 0;
  #observedAt = 0;

  /**
   * @param delayMs from an arrival to the end of the turn in which it was read
   * @param now clock time, in milliseconds
   */
  observe(delayMs: number, now: number): void {
    // The long turns are those that make answers late.
    this.#delayMs = Math.max(delayMs, this.expectedMs(now));
    this.#observedAt = now;
  }

  expectedMs(now: number): number {
    return this.#delayMs * KEPT_PER_SECOND ** ((now - this.#observedAt) / 1000);
  }
}
