/** Injects the {@link Clock}. */
export const CLOCK = Symbol('CLOCK');

/** A timer that has been set. */
export interface Timer {
  /** Prevents the callback. Does nothing after it has run. */
  cancel(): void;
}

/** The one source of time. All timing logic asks it, so that all of it can run under a virtual clock. */
export interface Clock {
  /** Milliseconds, monotonic, with fractions. The origin is arbitrary. */
  now(): number;
  /**
   * Calls back once after `delayMs`. A very long delay may call back early: callers look at `now()` and set
   * the timer again.
   */
  setTimer(delayMs: number, callback: () => void): Timer;
  /** Calls back once everything that has already arrived has been handled, and before any timer. */
  afterArrivals(callback: () => void): void;
}
