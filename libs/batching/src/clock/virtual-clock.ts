import { IndexedHeap } from '../queue/indexed-heap.js';
import type { Clock, Timer } from './clock.js';

interface VirtualTimer extends Timer {
  readonly due: number;
  readonly sequence: number;
  readonly callback: () => void;
  position: number;
}

/**
 * A clock that stands still until it is told to move: time as a variable, for simulations and tests.
 *
 * Timers due at one moment run in the order in which they were set.
 */
export class VirtualClock implements Clock {
  readonly #timers = new IndexedHeap<VirtualTimer, 'position'>(
    (a, b) => a.due - b.due || a.sequence - b.sequence,
    'position',
  );
  #now: number;
  #sequence = 0;

  constructor(startMs = 0) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  /** Timers that have been set and have neither run nor been cancelled. */
  get pending(): number {
    return this.#timers.size;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const timer: VirtualTimer = {
      due: this.#now + Math.max(0, delayMs),
      sequence: this.#sequence++,
      callback,
      position: -1,
      cancel: () => {
        this.#timers.delete(timer);
      },
    };
    this.#timers.push(timer);
    return timer;
  }

  afterArrivals(callback: () => void): void {
    this.setTimer(0, callback);
  }

  /** Moves to the next timer and runs it. Returns false when none is set. */
  step(): boolean {
    const timer = this.#timers.pop();
    if (timer === undefined) return false;
    this.#now = timer.due;
    timer.callback();
    return true;
  }

  /** Runs every timer up to `time`, then stands at `time`. */
  runUntil(time: number): void {
    for (let next = this.#timers.peek(); next !== undefined && next.due <= time; next = this.#timers.peek()) {
      this.step();
    }
    this.#now = Math.max(this.#now, time);
  }

  /** Like {@link runUntil}, and lets promise callbacks run between the timers, as on a real event loop. */
  async advance(durationMs: number): Promise<void> {
    const end = this.#now + durationMs;
    await settlePromises();
    for (let next = this.#timers.peek(); next !== undefined && next.due <= end; next = this.#timers.peek()) {
      this.step();
      await settlePromises();
    }
    this.#now = end;
  }
}

function settlePromises(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
