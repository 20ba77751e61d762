/** Share of its weight that an observation keeps when the next one comes. */
const KEEP = 0.97;
/** The first runs of a model load code and memory; they say nothing about the others. */
const WARM_UP_RUNS = 1;
/** An observation further from the prediction than this is a suspect: deviations, share of it, milliseconds. */
const SUSPECT_DEVIATIONS = 4;
const SUSPECT_SHARE = 0.25;
const SUSPECT_MS = 0.1;
/** A size whose squared distance from the mean is up to this share of weight · variance is familiar. */
const FAMILIAR = 0.25;
/** So many suspects in a row, on one side, are no outliers: the model runs at another speed now. */
const SUSPECTS_OF_A_SHIFT = 3;
/** Weight that older observations keep, rescaled, when the speed has changed. */
const KEEP_AT_SHIFT = 0.3;
/** Mean absolute deviation → standard deviation, for normal noise. */
const DEVIATION_SCALE = Math.sqrt(Math.PI / 2);

/**
 * The service-time law ŝ(b) = α + β·b of one model version on one kind of device, learned online by exponentially
 * forgetting least squares. α and β are never negative, so ŝ never falls in b.
 *
 * The slope is the mean of what the sizes seen say and of a prior, α = 0, weighted by their certainty (ridge
 * regression). A single outlier counts no more than the edge of what is plausible (Huber's clipping); a lasting change of speed
 * is taken over after three batches, in proportion. Observing allocates nothing.
 */
export class ServiceTimeModel {
  #seen = 0;
  #weight = 0;
  #sumSize = 0;
  #sumTime = 0;
  #sumSizeSquared = 0;
  #sumSizeTime = 0;
  #meanSize = 0;
  #variance = 0;
  #base = 0;
  #slope = 0;
  #absoluteDeviation = 0;
  /** Suspects in a row, negative when they ran shorter than predicted, and the sum of actual ÷ predicted. */
  #suspects = 0;
  #suspectRatios = 0;

  /** Batches observed, without the warm-up. */
  get samples(): number {
    return Math.max(0, this.#seen - WARM_UP_RUNS);
  }

  /** Standard deviation of a single run around the law, in milliseconds. */
  get deviationMs(): number {
    return DEVIATION_SCALE * this.#absoluteDeviation;
  }

  /** @param runMs how long a batch of `size` items ran, in milliseconds */
  observe(size: number, runMs: number): void {
    this.#seen++;
    if (this.#seen <= WARM_UP_RUNS || !(runMs >= 0)) return;
    this.#add(size, this.#weight === 0 ? runMs : this.#plausible(size, runMs));
    this.#fit();
  }

  /** Milliseconds that a batch of `size` items is expected to run; 0 while nothing is known. */
  predict(size: number): number {
    return this.#base + this.#slope * size;
  }

  /** Standard error of {@link predict}, in milliseconds; `Infinity` while nothing is known. */
  standardErrorMs(size: number): number {
    if (this.#weight === 0) return Infinity;
    const distance = size - this.#meanSize;
    const leverage = this.#variance < 1e-9 ? 0 : (distance * distance) / this.#variance;
    return this.deviationMs * Math.sqrt((1 + leverage) / this.#weight);
  }

  /** What to learn of a run: an outlier is cut to the edge of what is plausible. */
  #plausible(size: number, runMs: number): number {
    const predicted = this.predict(size);
    const tolerance = Math.max(SUSPECT_DEVIATIONS * this.deviationMs, SUSPECT_SHARE * predicted, SUSPECT_MS);
    let [low, high] = [predicted, predicted];
    if (this.#isExtrapolation(size)) {
      // All laws with α ≥ 0 and β ≥ 0 through what was seen lie between the constant and the proportional one.
      const constant = this.predict(this.#meanSize);
      const proportional = (constant * size) / this.#meanSize;
      low = Math.min(low, constant, proportional);
      high = Math.max(high, constant, proportional);
    }
    const clipped = Math.min(Math.max(runMs, low - tolerance), high + tolerance);
    this.#countSuspect(Math.sign(runMs - clipped), runMs / predicted);
    if (Math.abs(this.#suspects) >= SUSPECTS_OF_A_SHIFT) {
      this.#changeSpeed(this.#suspectRatios / SUSPECTS_OF_A_SHIFT);
      return runMs;
    }
    const deviation = Math.min(Math.abs(clipped - predicted), tolerance);
    this.#absoluteDeviation += (1 - KEEP) * (deviation - this.#absoluteDeviation);
    return clipped;
  }

  /** Whether the sizes seen say little of this one. */
  #isExtrapolation(size: number): boolean {
    const distance = size - this.#meanSize;
    return distance * distance > FAMILIAR * this.#weight * this.#variance;
  }

  #countSuspect(side: number, ratio: number): void {
    if (side === 0 || side !== Math.sign(this.#suspects)) {
      this.#suspects = 0;
      this.#suspectRatios = 0;
    }
    this.#suspects += side;
    if (side !== 0) this.#suspectRatios += ratio;
  }

  #changeSpeed(ratio: number): void {
    this.#weight *= KEEP_AT_SHIFT;
    this.#sumSize *= KEEP_AT_SHIFT;
    this.#sumSizeSquared *= KEEP_AT_SHIFT;
    this.#sumTime *= KEEP_AT_SHIFT * ratio;
    this.#sumSizeTime *= KEEP_AT_SHIFT * ratio;
    this.#absoluteDeviation *= ratio;
    this.#suspects = 0;
    this.#suspectRatios = 0;
  }

  #add(size: number, runMs: number): void {
    this.#weight = this.#weight * KEEP + 1;
    this.#sumSize = this.#sumSize * KEEP + size;
    this.#sumTime = this.#sumTime * KEEP + runMs;
    this.#sumSizeSquared = this.#sumSizeSquared * KEEP + size * size;
    this.#sumSizeTime = this.#sumSizeTime * KEEP + size * runMs;
  }

  #fit(): void {
    this.#meanSize = this.#sumSize / this.#weight;
    const meanTime = this.#sumTime / this.#weight;
    this.#variance = this.#sumSizeSquared / this.#weight - this.#meanSize * this.#meanSize;
    const covariance = this.#sumSizeTime / this.#weight - this.#meanSize * meanTime;
    // Sizes that are all alike say nothing about the slope. Then the time is taken to grow with the size, so that
    // nobody gathers large batches on the strength of a guess, and the sizes that follow tell.
    const steepest = meanTime / this.#meanSize;
    const noise = this.deviationMs / (steepest || 1);
    const doubt = Math.max(1e-9, (noise * noise) / this.#weight);
    const slope = (covariance + doubt * steepest) / (this.#variance + doubt);
    this.#slope = Math.min(Math.max(0, slope), steepest);
    this.#base = Math.max(0, meanTime - this.#slope * this.#meanSize);
  }
}
