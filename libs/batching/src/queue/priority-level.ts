import type { BatchItem } from './batch-item.js';
import { IndexedHeap } from './indexed-heap.js';

/**
 * The waiting items of one signature and one priority, in two orders at once: by deadline, which says who
 * leaves first, and by arrival, which says since when the oldest has waited.
 */
export class PriorityLevel<I, O> {
  readonly #byDeadline = new IndexedHeap<BatchItem<I, O>, 'queuePosition'>(
    (a, b) => a.deadline - b.deadline || a.sequence - b.sequence,
    'queuePosition',
  );
  #oldest: BatchItem<I, O> | undefined;
  #newest: BatchItem<I, O> | undefined;

  /** @param priority 1 is the highest */
  constructor(readonly priority: number) {}

  get size(): number {
    return this.#byDeadline.size;
  }

  /** The item with the earliest deadline. */
  get head(): BatchItem<I, O> | undefined {
    return this.#byDeadline.peek();
  }

  /** The item that has waited longest; its `next` is the one that came after it. */
  get oldest(): BatchItem<I, O> | undefined {
    return this.#oldest;
  }

  /** About how many of its items have a deadline up to this clock time. */
  countUntil(deadline: number): number {
    return deadline === Infinity
      ? this.size
      : this.#byDeadline.countAbout((item) => item.deadline <= deadline);
  }

  add(item: BatchItem<I, O>): void {
    this.#byDeadline.push(item);
    item.previous = this.#newest;
    if (this.#newest === undefined) this.#oldest = item;
    else this.#newest.next = item;
    this.#newest = item;
  }

  /** Removes `item`. Returns false when it does not wait here. */
  delete(item: BatchItem<I, O>): boolean {
    if (!this.#byDeadline.delete(item)) return false;
    if (item.previous === undefined) this.#oldest = item.next;
    else item.previous.next = item.next;
    if (item.next === undefined) this.#newest = item.previous;
    else item.next.previous = item.previous;
    item.previous = undefined;
    item.next = undefined;
    return true;
  }
}
