/** Share of its weight that an observation keeps when the next one comes. */
const KEEP = 0.97;
/** The first runs of a model load code and memory; they say nothing about the others. */
const WARM_UP_RUNS = 1;
/** An observation further from the prediction than this is a suspect: deviations, share of it, milliseconds. */
const SUSPECT_DEVIATIONS = 4;
const SUSPECT_SHARE = 0.25;
const SUSPECT_MS = 0.1;
/** A size whose squared distance from the mean is up to this share of their sum is familiar. */
const FAMILIAR = 0.25;
/** Squared deviation, as a share of the mean one, from which on a size says something about the slope. */
const TELLING = 0.05;
/** So many suspects in a row, on one side, are no outliers: the model runs at another speed now. */
const SUSPECTS_OF_A_SHIFT = 3;
/** Weight that older observations keep, rescaled, when the speed has changed. */
const KEEP_AT_SHIFT = 0.3;
/** Sum of squared sizes, as shares of the mean one, that it takes to tell the slope: two batches a tenth smaller. */
const TELLING_SIZES = 0.01;
/** Mean absolute deviation → standard deviation, for normal noise. */
const DEVIATION_SCALE = Math.sqrt(Math.PI / 2);

/**
 * The service-time law ŝ(b) = α + β·b of one model version on one kind of device, learned online by exponentially
 * forgetting least squares. α and β are never negative, so ŝ never falls in b.
 *
 * The level is forgotten with every batch, the slope only with those whose size says something about it: a server
 * that runs full batches for an hour still knows what a small one takes. Until the sizes have told, the slope is 0,
 * which promises no small batch that is fast (ridge regression). A single outlier counts no more than the edge of
 * what is plausible (Huber's clipping); a lasting change of speed is taken over after three batches, in proportion.
 * Observing allocates nothing.
 */
export class ServiceTimeModel {
  #seen = 0;
  #weight = 0;
  #meanSize = 0;
  #meanTime = 0;
  /** Batches that tell the slope, and their sums of squared and of mixed deviations. */
  #slopeWeight = 0;
  #squaredSizes = 0;
  #sizesByTimes = 0;
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

  /** Whether sizes have been unlike enough to tell what a smaller batch takes; else the law is a constant. */
  get knowsSizes(): boolean {
    return this.#squaredSizes > TELLING_SIZES * this.#meanSize * this.#meanSize;
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
    const leverage = this.#squaredSizes < 1e-9 ? 0 : (distance * distance) / this.#squaredSizes;
    return this.deviationMs * Math.sqrt(1 / this.#weight + leverage);
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
    // What a suspect adds to the deviation is little, and what only the slope explains is no deviation.
    const rate = clipped === runMs ? Math.max(1 - KEEP, 1 / this.samples) : 1 - KEEP;
    if (low === high)
      this.#absoluteDeviation += rate * (Math.abs(clipped - predicted) - this.#absoluteDeviation);
    return clipped;
  }

  /** Whether the sizes seen say little of this one. */
  #isExtrapolation(size: number): boolean {
    const distance = size - this.#meanSize;
    return distance * distance > FAMILIAR * this.#squaredSizes;
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
    this.#slopeWeight *= KEEP_AT_SHIFT;
    this.#squaredSizes *= KEEP_AT_SHIFT;
    this.#sizesByTimes *= KEEP_AT_SHIFT * ratio;
    this.#meanTime *= ratio;
    this.#absoluteDeviation *= ratio;
    this.#suspects = 0;
    this.#suspectRatios = 0;
  }

  /** Exponentially weighted means, and deviations from them (Welford's recurrence). */
  #add(size: number, runMs: number): void {
    this.#weight = this.#weight * KEEP + 1;
    const sizeDeviation = size - this.#meanSize;
    const timeDeviation = runMs - this.#meanTime;
    this.#meanSize += sizeDeviation / this.#weight;
    this.#meanTime += timeDeviation / this.#weight;
    const squared = sizeDeviation * sizeDeviation * (1 - 1 / this.#weight);
    if (squared * this.#slopeWeight > TELLING * this.#squaredSizes) {
      this.#slopeWeight = this.#slopeWeight * KEEP + 1;
      this.#squaredSizes *= KEEP;
      this.#sizesByTimes *= KEEP;
    }
    this.#squaredSizes += squared;
    this.#sizesByTimes += sizeDeviation * timeDeviation * (1 - 1 / this.#weight);
  }

  #fit(): void {
    // Below 0 the slope cannot be, nor so steep that α would be.
    const steepest = this.#meanTime / this.#meanSize;
    const noise = this.deviationMs / (steepest || 1);
    const slope = this.#sizesByTimes / (this.#squaredSizes + Math.max(1e-9, noise * noise));
    this.#slope = Math.min(Math.max(0, slope), steepest);
    this.#base = Math.max(0, this.#meanTime - this.#slope * this.#meanSize);
  }
}
