import type { BatchItem } from './batch-item.js';
import { SignatureGroup } from './signature-group.js';

/**
 * The one queue of a model version, from which all its lanes take. Items of different signatures wait side by
 * side and never share a batch.
 */
export class ArrivalQueue<I, O> {
  readonly #groups = new Map<string, SignatureGroup<I, O>>();
  #size = 0;

  /** Items waiting, of all signatures. */
  get size(): number {
    return this.#size;
  }

  /** Arrival of the item that has waited longest, in clock milliseconds, or `undefined` when none waits. */
  get oldestArrival(): number | undefined {
    let oldest: number | undefined;
    for (const group of this.#groups.values()) {
      const { arrival } = group.oldest!;
      if (oldest === undefined || arrival < oldest) oldest = arrival;
    }
    return oldest;
  }

  add(item: BatchItem<I, O>): void {
    let group = this.#groups.get(item.signature);
    if (group === undefined) {
      group = new SignatureGroup();
      this.#groups.set(item.signature, group);
    }
    group.add(item);
    this.#size++;
  }

  /** Removes `item`. Returns false when it does not wait. */
  delete(item: BatchItem<I, O>): boolean {
    const group = this.#groups.get(item.signature);
    if (group === undefined || !group.delete(item)) return false;
    this.#size--;
    this.#forgetIfEmpty(item.signature, group);
    return true;
  }

  /** The group whose head has the earliest deadline, or `undefined` when nothing waits. */
  next(): SignatureGroup<I, O> | undefined {
    // There are never more groups than waiting items, which maxQueueSize bounds.
    let next: SignatureGroup<I, O> | undefined;
    for (const group of this.#groups.values()) {
      if (next === undefined || group.head!.deadline < next.head!.deadline) next = group;
    }
    return next;
  }

  /** Removes and returns up to `count` items of `group`, earliest deadline first. */
  take(group: SignatureGroup<I, O>, count: number): BatchItem<I, O>[] {
    const items = group.take(count);
    this.#size -= items.length;
    const [first] = items;
    if (first !== undefined) this.#forgetIfEmpty(first.signature, group);
    return items;
  }

  /** Removes and returns everything. */
  clear(): BatchItem<I, O>[] {
    const items = [...this.#groups.values()].flatMap((group) => group.take(group.size));
    this.#groups.clear();
    this.#size = 0;
    return items;
  }

  #forgetIfEmpty(signature: string, group: SignatureGroup<I, O>): void {
    if (group.size === 0) this.#groups.delete(signature);
  }
}
