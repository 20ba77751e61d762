import type { BatchItem } from './batch-item.js';
import { SignatureGroup, type BatchBounds } from './signature-group.js';

/**
 * The one queue of a model version, from which all its lanes take. Items of different signatures wait side by
 * side and never share a batch.
 */
export class ArrivalQueue<I, O> {
  readonly #groups = new Map<string, SignatureGroup<I, O>>();
  readonly #starvationMs: number;
  #size = 0;
  #cost = 0;

  /** @param starvationMs wait after which an item goes before all priorities, in milliseconds */
  constructor(starvationMs: number) {
    this.#starvationMs = starvationMs;
  }

  /** Items waiting, of all signatures. */
  get size(): number {
    return this.#size;
  }

  /** What an item that waits costs on average; 0 when none does. */
  get meanCost(): number {
    return this.#size === 0 ? 0 : this.#cost / this.#size;
  }

  get groups(): Iterable<SignatureGroup<I, O>> {
    return this.#groups.values();
  }

  add(item: BatchItem<I, O>): void {
    let group = this.#groups.get(item.signature);
    if (group === undefined) {
      group = new SignatureGroup(item.signature, this.#starvationMs);
      this.#groups.set(item.signature, group);
    }
    group.add(item);
    this.#size++;
    this.#cost += item.cost;
  }

  /** Removes `item`. Returns false when it does not wait. */
  delete(item: BatchItem<I, O>): boolean {
    const group = this.#groups.get(item.signature);
    if (group === undefined || !group.delete(item)) return false;
    this.#size--;
    this.#cost -= item.cost;
    this.#forgetIfEmpty(group);
    return true;
  }

  /**
   * The group that goes next at clock time `now`, or `undefined` when none may.
   *
   * @param isHeld whether a group must stay; it does not hold up the others
   */
  next(
    now: number,
    isHeld: (group: SignatureGroup<I, O>) => boolean = () => false,
  ): SignatureGroup<I, O> | undefined {
    // There are never more groups than waiting items, which maxQueueSize bounds.
    let next: SignatureGroup<I, O> | undefined;
    for (const group of this.#groups.values()) {
      if (isHeld(group)) continue;
      if (next === undefined || group.goesBefore(next, now)) next = group;
    }
    return next;
  }

  /** Removes and returns the items of `group` that go next, as many as fit. */
  take(group: SignatureGroup<I, O>, bounds: BatchBounds, now: number): BatchItem<I, O>[] {
    const items = group.take(bounds, now);
    this.#size -= items.length;
    for (const { cost } of items) this.#cost -= cost;
    this.#forgetIfEmpty(group);
    return items;
  }

  /** Removes and returns everything. */
  clear(): BatchItem<I, O>[] {
    const items = [...this.#groups.values()].flatMap((group) => [...group.inOrderOfArrival()]);
    for (const item of items) this.delete(item);
    return items;
  }

  #forgetIfEmpty(group: SignatureGroup<I, O>): void {
    if (group.size === 0) this.#groups.delete(group.signature);
    // Sums of fractions drift.
    if (this.#size === 0) this.#cost = 0;
  }
}
