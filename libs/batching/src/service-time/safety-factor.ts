const WINDOW = 64;
const START = 1.1;
const LOWEST = 0.8;
const HIGHEST = 3;
/** Nearest rank of the 95th percentile, from 0. */
const RANK = Math.ceil(0.95 * WINDOW) - 1;

/**
 * g: by what a predicted run time must be multiplied to be kept almost surely. The 95th percentile of actual ÷
 * predicted over the last 64 batches; those that have not been run yet count as 1.1.
 *
 * Source: the scheduling study, §4: a model 20 % too optimistic costs 30 % of the answers in time, one as
 * pessimistic next to nothing.
 */
export class SafetyFactor {
  readonly #ratios = new Float64Array(WINDOW).fill(START);
  readonly #sorted = new Float64Array(WINDOW);
  #next = 0;
  #value = START;
  #isStale = false;

  /** Between 0.8 and 3. */
  get value(): number {
    if (this.#isStale) {
      this.#sorted.set(this.#ratios);
      this.#sorted.sort();
      this.#value = Math.min(Math.max(this.#sorted[RANK]!, LOWEST), HIGHEST);
      this.#isStale = false;
    }
    return this.#value;
  }

  /**
   * @param predictedMs what the model had predicted before it learned of the run; runs that it could not predict
   *   (0) do not count
   * @param actualMs how long the batch ran
   */
  observe(predictedMs: number, actualMs: number): void {
    if (!(predictedMs > 0) || !(actualMs >= 0)) return;
    this.#ratios[this.#next] = actualMs / predictedMs;
    this.#next = (this.#next + 1) % WINDOW;
    this.#isStale = true;
  }
}
