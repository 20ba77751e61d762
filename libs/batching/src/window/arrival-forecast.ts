import { ReturnProfile } from './return-profile.js';

/** Share of its weight that the rate of independent arrivals keeps when the next batch ends. */
const KEEP = 0.95;
/** Completions that may be followed at once; beyond them, the oldest are given up. */
const CAPACITY = 64;
/** Less of a client than this is nobody. */
const NOBODY = 0.01;

/**
 * Expects arrivals: some are independent of what is served and come at a steady rate, the others are clients
 * that send again some time after their answer, each once. Which is which, nobody says: each arrival is shared
 * out among what could have brought it, in proportion to how likely each was to do so just now. Completions of
 * several lanes may overlap.
 *
 * Source: the expectation step of expectation–maximisation for a self-exciting point process (Veen and
 * Schoenberg, 2008), with the finite number of clients of each batch as its marks.
 */
export class ArrivalForecast {
  readonly #profile: ReturnProfile;
  /** Completions that are followed, oldest first: when, clients still out now and at the start of the bin, bin. */
  readonly #endedAt = new Float64Array(CAPACITY);
  readonly #out = new Float64Array(CAPACITY);
  readonly #outAtBinStart = new Float64Array(CAPACITY);
  readonly #bin = new Int32Array(CAPACITY);
  readonly #intensity = new Float64Array(CAPACITY);
  #followed = 0;
  #independent = 0;
  #observedMs = 0;
  #lastCompletion: number | undefined;
  #rate = 0;

  constructor(horizonMs: number) {
    this.#profile = new ReturnProfile(horizonMs);
  }

  /** Independent arrivals per millisecond. */
  get independentRate(): number {
    return this.#rate;
  }

  /** Clients that have their answer and are expected back. */
  get clientsOut(): number {
    let clients = 0;
    for (let index = 0; index < this.#followed; index++) clients += this.#out[index]!;
    return clients;
  }

  /** Hears of an arrival. */
  arrived(now: number): void {
    // Before the first answer nobody can have come back, and nobody knows how many clients there are.
    if (this.#lastCompletion === undefined) return;
    this.#advance(now);
    let total = this.#rate;
    for (let index = 0; index < this.#followed; index++) {
      const age = now - this.#endedAt[index]!;
      const intensity = this.#out[index]! * this.#profile.intensity(this.#bin[index]!, age);
      this.#intensity[index] = intensity;
      total += intensity;
    }
    if (total <= 0) {
      this.#independent++;
      return;
    }
    let independent = 1;
    for (let index = 0; index < this.#followed; index++) {
      const share = Math.min(this.#intensity[index]! / total, this.#out[index]!);
      this.#out[index]! -= share;
      independent -= share;
      this.#profile.addReturned(this.#bin[index]!, share);
    }
    this.#independent += Math.max(0, independent);
  }

  /** Hears of the end of a batch of `size` items. */
  completed(now: number, size: number): void {
    this.#advance(now);
    this.#profile.update();
    this.#independent *= KEEP;
    this.#observedMs = this.#observedMs * KEEP + now - (this.#lastCompletion ?? now);
    this.#rate = this.#observedMs > 0 ? this.#independent / this.#observedMs : 0;
    this.#lastCompletion = now;
    if (this.#followed === CAPACITY) this.#forget(1);
    const index = this.#followed++;
    this.#endedAt[index] = now;
    this.#out[index] = size;
    this.#outAtBinStart[index] = size;
    this.#bin[index] = 0;
  }

  /**
   * Writes into `expected[i]` how many arrivals are expected within `offsetsMs[i]` from now, for the first `count`
   * offsets, which must ascend.
   */
  expect(now: number, offsetsMs: ArrayLike<number>, count: number, expected: Float64Array): void {
    this.#advance(now);
    for (let index = 0; index < count; index++) expected[index] = this.#rate * offsetsMs[index]!;
    const { edges, bins } = this.#profile;
    for (let completion = 0; completion < this.#followed; completion++) {
      const age = now - this.#endedAt[completion]!;
      let bin = this.#bin[completion]!;
      let out = this.#out[completion]!;
      let position = age;
      for (let index = 0; index < count; index++) {
        const end = age + offsetsMs[index]!;
        while (bin < bins && position < end) {
          const to = Math.min(end, edges[bin + 1]!);
          out *= 1 - this.#profile.probability(bin, position, to);
          position = to;
          if (to >= edges[bin + 1]!) bin++;
        }
        expected[index]! += this.#out[completion]! - out;
      }
    }
  }

  /** Expected wait of a client whose answer comes now, for a lane that is busy for `busyMs`, in milliseconds. */
  expectedWait(busyMs: number): number {
    return this.#profile.expectedWait(busyMs);
  }

  /** Moves each completion into the bin of its age, and drops those of which nobody is out any more. */
  #advance(now: number): void {
    const { edges, bins } = this.#profile;
    let kept = 0;
    for (let index = 0; index < this.#followed; index++) {
      const out = this.#out[index]!;
      const age = now - this.#endedAt[index]!;
      let bin = this.#bin[index]!;
      let outAtBinStart = this.#outAtBinStart[index]!;
      while (bin < bins && age >= edges[bin + 1]!) {
        this.#profile.addExposed(bin++, outAtBinStart);
        outAtBinStart = out;
      }
      if (bin >= bins) continue;
      if (out < NOBODY) {
        this.#profile.addExposed(bin, outAtBinStart);
        continue;
      }
      this.#endedAt[kept] = this.#endedAt[index]!;
      this.#out[kept] = out;
      this.#outAtBinStart[kept] = outAtBinStart;
      this.#bin[kept++] = bin;
    }
    this.#followed = kept;
  }

  /** Gives up the `count` oldest completions. */
  #forget(count: number): void {
    for (const values of [this.#endedAt, this.#out, this.#outAtBinStart, this.#bin])
      values.copyWithin(0, count);
    this.#followed -= count;
  }
}
