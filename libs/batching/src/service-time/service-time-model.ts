/** Share of its weight that an observation keeps when the next one comes. */
const KEEP = 0.97;

/**
 * The service-time law ŝ(b) = α + β·b of one model version on one kind of device, learned online by
 * exponentially forgetting least squares. Never negative, never falling in b.
 */
export class ServiceTimeModel {
  #weight = 0;
  #sumSize = 0;
  #sumTime = 0;
  #sumSizeSquared = 0;
  #sumSizeTime = 0;
  #samples = 0;

  /** Batches observed. */
  get samples(): number {
    return this.#samples;
  }

  /** @param runMs how long a batch of `size` items ran, in milliseconds */
  observe(size: number, runMs: number): void {
    this.#samples++;
    this.#weight = this.#weight * KEEP + 1;
    this.#sumSize = this.#sumSize * KEEP + size;
    this.#sumTime = this.#sumTime * KEEP + runMs;
    this.#sumSizeSquared = this.#sumSizeSquared * KEEP + size * size;
    this.#sumSizeTime = this.#sumSizeTime * KEEP + size * runMs;
  }

  /** Milliseconds that a batch of `size` items is expected to run; 0 before the first observation. */
  predict(size: number): number {
    if (this.#weight === 0) return 0;
    const meanSize = this.#sumSize / this.#weight;
    const meanTime = this.#sumTime / this.#weight;
    const variance = this.#sumSizeSquared / this.#weight - meanSize * meanSize;
    const covariance = this.#sumSizeTime / this.#weight - meanSize * meanTime;
    const slope = variance < 1e-9 ? 0 : Math.min(Math.max(0, covariance / variance), meanTime / meanSize);
    return Math.max(0, meanTime + slope * (size - meanSize));
  }
}
