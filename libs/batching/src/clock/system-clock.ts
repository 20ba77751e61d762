import type { Clock, Timer } from './clock.js';

/** setTimeout turns a longer delay into 1 ms. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** The process's monotonic clock. */
export class SystemClock implements Clock {
  now(): number {
    return performance.now();
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const handle = setTimeout(callback, Math.min(Math.ceil(delayMs), LONGEST_DELAY_MS));
    return { cancel: () => clearTimeout(handle) };
  }

  afterArrivals(callback: () => void): void {
    // The check phase follows the poll phase, in which one turn of the event loop reads every ready socket.
    setImmediate(callback);
  }
}
