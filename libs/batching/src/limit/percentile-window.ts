/** The latest observations, and true percentiles of them. Observing allocates nothing. */
export class PercentileWindow {
  readonly #values: Float64Array;
  readonly #sorted: Float64Array;
  #count = 0;
  #next = 0;

  /** @param capacity observations that are kept */
  constructor(capacity: number) {
    this.#values = new Float64Array(capacity);
    this.#sorted = new Float64Array(capacity);
  }

  get size(): number {
    return this.#count;
  }

  add(value: number): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % this.#values.length;
    this.#count = Math.min(this.#count + 1, this.#values.length);
  }

  clear(): void {
    this.#count = 0;
    this.#next = 0;
  }

  /** The nearest-rank percentile; NaN when nothing was observed. */
  percentile(share: number): number {
    if (this.#count === 0) return NaN;
    const sorted = this.#sorted.subarray(0, this.#count);
    sorted.set(this.#values.subarray(0, this.#count));
    sorted.sort();
    return sorted[Math.max(0, Math.ceil(share * this.#count) - 1)]!;
  }
}
