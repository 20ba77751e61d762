import type { Batch } from './batch.js';
import type { Lane } from './lane.js';

/** The lanes of one model version: which are alive, which are free, and what the others run. */
export class LaneTable<I, O> {
  readonly #alive = new Set<Lane<I, O>>();
  /** Each with the clock time since when; the one that has been free longest comes first. */
  readonly #free = new Map<Lane<I, O>, number>();
  readonly #running = new Map<Lane<I, O>, Batch<I, O>>();

  /** Lanes that are alive, free or busy. */
  get size(): number {
    return this.#alive.size;
  }

  get alive(): Iterable<Lane<I, O>> {
    return this.#alive;
  }

  /** Free lanes with the clock time since when, the longest free first. */
  get free(): Iterable<[Lane<I, O>, number]> {
    return this.#free;
  }

  get hasFree(): boolean {
    return this.#free.size > 0;
  }

  /** Batches that run, also on a lane that was taken out meanwhile. */
  get batches(): Iterable<Batch<I, O>> {
    return this.#running.values();
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  hasFreeOn(device: string): boolean {
    for (const lane of this.#free.keys()) if (lane.device === device) return true;
    return false;
  }

  add(lane: Lane<I, O>, now: number): void {
    this.#alive.add(lane);
    this.#free.set(lane, now);
  }

  /** Takes a lane out. Returns false when it was not in. */
  remove(lane: Lane<I, O>): boolean {
    this.#free.delete(lane);
    return this.#alive.delete(lane);
  }

  batchOn(lane: Lane<I, O>): Batch<I, O> | undefined {
    return this.#running.get(lane);
  }

  started(lane: Lane<I, O>, batch: Batch<I, O>): void {
    this.#free.delete(lane);
    this.#running.set(lane, batch);
  }

  /** Notes that the lane's batch has ended: a lane that is still alive is free. */
  ended(lane: Lane<I, O>, now: number): void {
    this.#running.delete(lane);
    if (this.#alive.has(lane)) this.#free.set(lane, now);
  }
}
