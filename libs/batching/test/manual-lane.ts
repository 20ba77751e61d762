import type { Batch, Lane } from '../src/index.js';

/** A lane whose batches the test ends itself. */
export class ManualLane<I, O> implements Lane<I, O> {
  readonly device = 'cpu';
  /** Every batch it was given, the last one possibly in flight. */
  readonly batches: Batch<I, O>[] = [];

  constructor(readonly id = 0) {}

  start(batch: Batch<I, O>): void {
    if (this.busy) throw new Error(`lane ${this.id} was given a batch while it runs another`);
    this.batches.push(batch);
  }

  get busy(): boolean {
    return this.batches.length > 0 && this.current.endedAt === undefined;
  }

  /** The batch in flight, or the last one. */
  get current(): Batch<I, O> {
    return this.batches.at(-1)!;
  }

  /** The inputs of each batch so far. */
  get inputs(): I[][] {
    return this.batches.map((batch) => batch.items.map(({ value }) => value));
  }

  get sizes(): number[] {
    return this.batches.map(({ size }) => size);
  }
}
