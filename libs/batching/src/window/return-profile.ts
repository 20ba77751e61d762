/** Width of the first bins, in milliseconds. */
const FINE_BIN_MS = 0.1;
const FINE_BINS = 20;
/** By how much each later bin is wider than the one before. */
const GROWTH = 1.12;
/** Share of its weight that what was seen keeps when the next batch ends. */
const KEEP = 0.95;
/** Items that were never seen, and how many of them were taken to return in 0.1 ms, so that a start is not blind. */
const PRIOR_ITEMS = 0.5;
const PRIOR_HAZARD = 0.02;

/**
 * When clients that have got their answer send again, by the time since their batch ended: a piecewise constant
 * hazard, learned online and forgetting exponentially. Independent arrivals leave it near zero.
 *
 * Source: the life-table estimate of a hazard, returns in a bin ÷ clients still out at its start.
 */
export class ReturnProfile {
  /** Bin `k` reaches from `edges[k]` to `edges[k + 1]`, in milliseconds. */
  readonly edges: Float64Array;
  readonly #returned: Float64Array;
  readonly #exposed: Float64Array;
  /** Share of the clients still out at its start that return within the bin. */
  readonly #hazard: Float64Array;
  readonly #share: Float64Array;
  readonly #wait: Float64Array;

  /** @param horizonMs returns later than this are not told from independent arrivals */
  constructor(horizonMs: number) {
    const edges = [0];
    while (edges.at(-1)! < horizonMs) {
      edges.push(edges.length <= FINE_BINS ? edges.length * FINE_BIN_MS : edges.at(-1)! * GROWTH);
    }
    this.edges = Float64Array.from(edges);
    const bins = edges.length - 1;
    this.#returned = new Float64Array(bins);
    this.#exposed = new Float64Array(bins);
    this.#hazard = new Float64Array(bins);
    this.#share = new Float64Array(bins + 1);
    this.#wait = new Float64Array(bins + 1);
    this.#estimate();
  }

  get bins(): number {
    return this.#hazard.length;
  }

  /** Notes that `items` clients were still out at the start of a bin which has passed. */
  addExposed(bin: number, items: number): void {
    this.#exposed[bin]! += items;
  }

  /** Notes that an arrival was, with probability `share`, a client's return in this bin. */
  addReturned(bin: number, share: number): void {
    this.#returned[bin]! += share;
  }

  /** Forgets a little, and takes what was noted into account: to be called when a batch ends. */
  update(): void {
    for (let bin = 0; bin < this.bins; bin++) {
      this.#returned[bin]! *= KEEP;
      this.#exposed[bin]! *= KEEP;
    }
    this.#estimate();
  }

  /** Probability that a client still out at age `fromMs`, which lies in `bin`, returns by `toMs` in that bin. */
  probability(bin: number, fromMs: number, toMs: number): number {
    const start = this.edges[bin]!;
    const width = this.edges[bin + 1]! - start;
    const hazard = this.#hazard[bin]!;
    // Returns are taken as evenly spread over the bin, of which a part has passed without one.
    const left = 1 - (hazard * (fromMs - start)) / width;
    return left <= 0 ? 1 : Math.min(1, (hazard * (toMs - fromMs)) / width / left);
  }

  /** Returns per millisecond that one client still out at `ageMs`, which lies in `bin`, stands for. */
  intensity(bin: number, ageMs: number): number {
    const start = this.edges[bin]!;
    const width = this.edges[bin + 1]! - start;
    const hazard = this.#hazard[bin]!;
    return hazard / width / Math.max(0.1, 1 - hazard * Math.min(1, (ageMs - start) / width));
  }

  /** Expected wait of a client whose answer comes now, for a lane that is busy for `busyMs`, in milliseconds. */
  expectedWait(busyMs: number): number {
    const { edges, bins } = this;
    if (busyMs <= 0) return 0;
    if (busyMs >= edges[bins]!) return this.#wait[bins]! + (busyMs - edges[bins]!) * this.#share[bins]!;
    let [low, high] = [0, bins];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (edges[middle]! <= busyMs) low = middle;
      else high = middle;
    }
    const part = (busyMs - edges[low]!) / (edges[low + 1]! - edges[low]!);
    return this.#wait[low]! + part * (this.#wait[low + 1]! - this.#wait[low]!);
  }

  #estimate(): void {
    let out = 1;
    for (let bin = 0; bin < this.bins; bin++) {
      const width = this.edges[bin + 1]! - this.edges[bin]!;
      const prior = PRIOR_ITEMS * Math.min(0.5, (PRIOR_HAZARD * width) / FINE_BIN_MS);
      const hazard = (this.#returned[bin]! + prior) / (this.#exposed[bin]! + PRIOR_ITEMS);
      this.#hazard[bin] = Math.min(1, hazard);
      const outAtEnd = out * (1 - this.#hazard[bin]!);
      this.#share[bin + 1] = 1 - outAtEnd;
      // The wait is the integral of the share that has returned.
      this.#wait[bin + 1] = this.#wait[bin]! + width * (1 - (out + outAtEnd) / 2);
      out = outAtEnd;
    }
  }
}
