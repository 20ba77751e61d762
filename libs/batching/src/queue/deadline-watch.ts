import type { Clock, Timer } from '../clock/clock.js';
import type { BatchItem } from './batch-item.js';
import { IndexedHeap } from './indexed-heap.js';

/**
 * Ends items at their deadline by one timer of its own, so that a late item hears of it at once, even while
 * every lane is busy.
 */
export class DeadlineWatch<I, O> {
  readonly #items = new IndexedHeap<BatchItem<I, O>, 'deadlinePosition'>(
    (a, b) => a.deadline - b.deadline,
    'deadlinePosition',
  );
  readonly #clock: Clock;
  readonly #onExpired: (item: BatchItem<I, O>) => void;
  #timer: Timer | undefined;
  #timerDue = Infinity;

  constructor(clock: Clock, onExpired: (item: BatchItem<I, O>) => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  /** Items watched: all that are waiting or running. */
  get size(): number {
    return this.#items.size;
  }

  add(item: BatchItem<I, O>): void {
    this.#items.push(item);
    if (item.deadline < this.#timerDue) this.#setTimer(item.deadline);
  }

  delete(item: BatchItem<I, O>): void {
    this.#items.delete(item);
    // A timer that is merely too early sets itself again; an idle batcher must not keep one.
    if (this.#items.size === 0) this.#clearTimer();
  }

  #setTimer(due: number): void {
    this.#timer?.cancel();
    this.#timerDue = due;
    this.#timer = this.#clock.setTimer(due - this.#clock.now(), () => this.#expire());
  }

  #clearTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerDue = Infinity;
  }

  #expire(): void {
    this.#clearTimer();
    const now = this.#clock.now();
    for (let next = this.#items.peek(); next !== undefined; next = this.#items.peek()) {
      if (next.deadline > now) {
        this.#setTimer(next.deadline);
        return;
      }
      this.#items.delete(next);
      this.#onExpired(next);
    }
  }
}
