import type { Batch, Clock, Lane } from '../src/index.js';

/** A lane that runs a function over each item, and takes the clock time that a law gives for the batch. */
export class TimedLane<I, O> implements Lane<I, O> {
  /** The inputs of each batch so far. */
  readonly inputs: I[][] = [];
  readonly #clock: Clock;
  readonly #run: (batch: readonly I[]) => unknown;
  readonly #runMs: (size: number) => number;

  /**
   * @param run what it answers a batch with; what it throws fails the batch
   * @param runMs how long a batch of `size` items takes, in milliseconds
   */
  constructor(
    clock: Clock,
    run: (batch: readonly I[]) => unknown,
    runMs: (size: number) => number,
    readonly id = 0,
    readonly device = 'cpu',
  ) {
    this.#clock = clock;
    this.#run = run;
    this.#runMs = runMs;
  }

  get sizes(): number[] {
    return this.inputs.map((batch) => batch.length);
  }

  start(batch: Batch<I, O>): void {
    const values = batch.items.map(({ value }) => value);
    this.inputs.push(values);
    this.#clock.setTimer(this.#runMs(batch.size), () => {
      try {
        batch.complete(this.#run(values));
      } catch (error) {
        batch.fail(error);
      }
    });
  }
}
