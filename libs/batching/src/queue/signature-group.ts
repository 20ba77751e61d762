import type { BatchItem } from './batch-item.js';
import { IndexedHeap } from './indexed-heap.js';

/**
 * The waiting items of one signature, in two orders at once: by deadline, which says who leaves first, and by
 * arrival, which says since when the oldest has waited.
 */
export class SignatureGroup<I, O> {
  readonly #byDeadline = new IndexedHeap<BatchItem<I, O>, 'queuePosition'>(
    // Equal deadlines leave in order of arrival.
    (a, b) => a.deadline - b.deadline || a.arrival - b.arrival,
    'queuePosition',
  );
  #oldest: BatchItem<I, O> | undefined;
  #newest: BatchItem<I, O> | undefined;

  get size(): number {
    return this.#byDeadline.size;
  }

  /** The item with the earliest deadline. */
  get head(): BatchItem<I, O> | undefined {
    return this.#byDeadline.peek();
  }

  /** The item that has waited longest. */
  get oldest(): BatchItem<I, O> | undefined {
    return this.#oldest;
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

  /** Removes and returns up to `count` items, earliest deadline first. */
  take(count: number): BatchItem<I, O>[] {
    const taken: BatchItem<I, O>[] = [];
    while (taken.length < count) {
      const item = this.head;
      if (item === undefined) break;
      this.delete(item);
      taken.push(item);
    }
    return taken;
  }
}
