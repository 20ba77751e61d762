import type { Batch, Clock, Lane } from '#batching';

/**
 * A lane whose run time depends on which items a batch holds, not only on what they add up to: a padded batch costs
 * what its longest item makes of it.
 */
export class ItemLane<I> implements Lane<I, true> {
  readonly id = 0;
  readonly device = 'simulated';
  readonly #runMs: (items: readonly I[]) => number;
  readonly #clock: Clock;

  /** @param runMs how long a batch of these items takes, in milliseconds */
  constructor(runMs: (items: readonly I[]) => number, clock: Clock) {
    this.#runMs = runMs;
    this.#clock = clock;
  }

  start(batch: Batch<I, true>): void {
    const runMs = this.#runMs(batch.items.map(({ value }) => value));
    this.#clock.setTimer(runMs, () => batch.complete(batch.items.map((): true => true)));
  }
}
