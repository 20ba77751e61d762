import type { Clock, Timer } from './clock.js';

/** setTimeout turns a longer delay into 1 ms. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;
/** setTimeout counts whole milliseconds and may be one late: delays below this are measured in turns instead. */
const SHORT_DELAY_MS = 2;

/** The process's monotonic clock. */
export class SystemClock implements Clock {
  now(): number {
    return performance.now();
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    if (delayMs < SHORT_DELAY_MS) return this.#setShortTimer(performance.now() + delayMs, callback);
    const handle = setTimeout(callback, Math.min(Math.ceil(delayMs), LONGEST_DELAY_MS));
    return { cancel: () => clearTimeout(handle) };
  }

  afterArrivals(callback: () => void): void {
    // The check phase follows the poll phase, in which one turn of the event loop reads every ready socket.
    setImmediate(callback);
  }

  /**
   * Looks at the clock once in every turn of the event loop, which reads sockets in between. That keeps a core
   * awake, for less than 2 ms, and only while somebody waits: holds of a lane are that short.
   */
  #setShortTimer(due: number, callback: () => void): Timer {
    const look = () => {
      if (performance.now() >= due) callback();
      else handle = setImmediate(look);
    };
    let handle = setImmediate(look);
    return { cancel: () => clearImmediate(handle) };
  }
}
