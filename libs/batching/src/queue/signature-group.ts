import type { BatchItem } from './batch-item.js';
import { PriorityLevel } from './priority-level.js';

/** How much a batch may hold. */
export interface BatchBounds {
  readonly count: number;
  readonly cost: number;
  /** Whether to take nothing where the first item does not fit. Default: one item is always taken. */
  readonly mayBeEmpty?: boolean;
}

/**
 * The waiting items of one signature, by priority. A higher level goes first; but a level whose oldest item
 * has waited for `starvationMs` goes before all others, so that no item waits for ever.
 */
export class SignatureGroup<I, O> {
  /** Highest priority first; empty levels are dropped. */
  readonly #levels: PriorityLevel<I, O>[] = [];
  readonly #starvationMs: number;
  #size = 0;

  constructor(
    readonly signature: string,
    starvationMs: number,
  ) {
    this.#starvationMs = starvationMs;
  }

  get size(): number {
    return this.#size;
  }

  /** Arrival of the item that has waited longest, in clock milliseconds. */
  get oldestArrival(): number {
    let oldest = Infinity;
    for (const level of this.#levels) oldest = Math.min(oldest, level.oldest!.arrival);
    return oldest;
  }

  /** The item with the earliest deadline, whatever its priority. */
  get mostUrgent(): BatchItem<I, O> | undefined {
    let urgent: BatchItem<I, O> | undefined;
    for (const { head } of this.#levels) {
      if (urgent === undefined || head!.deadline < urgent.deadline) urgent = head;
    }
    return urgent;
  }

  /** About how many items go before one of this priority and this deadline (clock time). */
  countBefore(priority: number, deadline: number): number {
    let count = 0;
    for (const level of this.#levels) {
      if (level.priority < priority) count += level.size;
      else if (level.priority === priority) count += level.countUntil(deadline);
    }
    return count;
  }

  add(item: BatchItem<I, O>): void {
    let index = this.#levels.findIndex(({ priority }) => priority >= item.priority);
    if (index < 0) index = this.#levels.length;
    if (this.#levels[index]?.priority !== item.priority) {
      this.#levels.splice(index, 0, new PriorityLevel(item.priority));
    }
    this.#levels[index]!.add(item);
    this.#size++;
  }

  /** Removes `item`. Returns false when it does not wait here. */
  delete(item: BatchItem<I, O>): boolean {
    const index = this.#levels.findIndex(({ priority }) => priority === item.priority);
    const level = this.#levels[index];
    if (level === undefined || !level.delete(item)) return false;
    if (level.size === 0) this.#levels.splice(index, 1);
    this.#size--;
    return true;
  }

  /** Whether this group's next item goes before the other's at clock time `now`. */
  goesBefore(other: SignatureGroup<I, O>, now: number): boolean {
    const [own, its] = [this.#first(now)!, other.#first(now)!];
    return (this.#rank(own, now) - other.#rank(its, now) || own.head!.deadline - its.head!.deadline) < 0;
  }

  /**
   * Removes and returns the items that go next: highest priority first, then earliest deadline, as many as fit.
   * At least one, if one waits, unless the bounds say otherwise.
   */
  take(bounds: BatchBounds, now: number): BatchItem<I, O>[] {
    const taken: BatchItem<I, O>[] = [];
    const { count, cost: mostCost, mayBeEmpty = false } = bounds;
    let cost = 0;
    for (let level = this.#first(now); level !== undefined; level = this.#first(now)) {
      const item = level.head!;
      cost += item.cost;
      const isCostBound = mayBeEmpty || taken.length > 0;
      if (taken.length >= count || (isCostBound && cost > mostCost)) break;
      this.delete(item);
      taken.push(item);
    }
    return taken;
  }

  /** The waiting items in order of arrival within each level, without a copy. */
  *inOrderOfArrival(): Generator<BatchItem<I, O>> {
    for (const level of this.#levels) {
      for (let item = level.oldest; item !== undefined; item = item.next) yield item;
    }
  }

  #first(now: number): PriorityLevel<I, O> | undefined {
    let first: PriorityLevel<I, O> | undefined;
    for (const level of this.#levels) {
      if (first === undefined || this.#rank(level, now) < this.#rank(first, now)) first = level;
    }
    return first;
  }

  #rank(level: PriorityLevel<I, O>, now: number): number {
    return now - level.oldest!.arrival >= this.#starvationMs ? 0 : level.priority;
  }
}
