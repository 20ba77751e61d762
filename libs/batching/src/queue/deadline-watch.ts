import type { Clock, Timer } from '../clock/clock.js';
import type { BatchItem } from './batch-item.js';
import { IndexedHeap } from './indexed-heap.js';

/**
 * Ends items by one timer of its own when their deadline can no longer be met, so that a late item hears of it
 * at once, even while every lane is busy.
 */
export class DeadlineWatch<I, O> {
  readonly #items = new IndexedHeap<BatchItem<I, O>, 'deadlinePosition'>(
    (a, b) => a.deadline - b.deadline,
    'deadlinePosition',
  );
  readonly #clock: Clock;
  readonly #onExpired: (item: BatchItem<I, O>) => void;
  readonly #leadMs: () => number;
  #timer: Timer | undefined;
  #timerDue = Infinity;

  /**
   * @param onExpired told of an item whose time is up, which is no longer watched then
   * @param leadMs how long before its deadline an item's time is up, in milliseconds
   */
  constructor(clock: Clock, onExpired: (item: BatchItem<I, O>) => void, leadMs: () => number = () => 0) {
    this.#clock = clock;
    this.#onExpired = onExpired;
    this.#leadMs = leadMs;
  }

  /** Items watched. */
  get size(): number {
    return this.#items.size;
  }

  add(item: BatchItem<I, O>): void {
    this.#items.push(item);
    const due = item.deadline - this.#leadMs();
    if (due < this.#timerDue) this.#setTimer(due);
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
    const lead = this.#leadMs();
    for (let next = this.#items.peek(); next !== undefined; next = this.#items.peek()) {
      if (next.deadline - lead > now) {
        this.#setTimer(next.deadline - lead);
        return;
      }
      this.#items.delete(next);
      this.#onExpired(next);
    }
  }
}
