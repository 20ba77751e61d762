/** What a run of a simulation showed, over its measured part. Times are in milliseconds. */
export interface RunSummary {
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** Answers per second. */
  readonly throughput: number;
  readonly meanBatch: number;
  /** Share of the items that ended with an answer within their deadline. */
  readonly onTimeShare: number;
  /** Items that ended without an answer. */
  readonly drops: number;
  /** Latency of each answered item, ascending. */
  readonly latencies: Float64Array;
}

/** Counts what happens once the warm-up is over. */
export class Measurement {
  readonly #warmUpItems: number;
  readonly #items: number;
  readonly #latencies: Float64Array;
  #ended = 0;
  #answered = 0;
  #drops = 0;
  #batches = 0;
  #batchedItems = 0;
  #startedAt = 0;
  #endedAt = 0;

  constructor(warmUpItems: number, items: number) {
    this.#warmUpItems = warmUpItems;
    this.#items = items;
    this.#latencies = new Float64Array(items);
  }

  get isOver(): boolean {
    return this.#ended >= this.#warmUpItems + this.#items;
  }

  answered(now: number, latencyMs: number): void {
    if (this.#isMeasured(now)) this.#latencies[this.#answered++] = latencyMs;
  }

  dropped(now: number): void {
    if (this.#isMeasured(now)) this.#drops++;
  }

  batchEnded(size: number): void {
    if (this.#ended <= this.#warmUpItems || this.isOver) return;
    this.#batches++;
    this.#batchedItems += size;
  }

  summary(): RunSummary {
    const latencies = this.#latencies.subarray(0, this.#answered).sort();
    let sum = 0;
    for (const latency of latencies) sum += latency;
    return {
      meanMs: sum / this.#answered,
      p50Ms: percentile(latencies, 0.5),
      p95Ms: percentile(latencies, 0.95),
      p99Ms: percentile(latencies, 0.99),
      throughput: (1000 * this.#answered) / (this.#endedAt - this.#startedAt),
      meanBatch: this.#batchedItems / this.#batches,
      onTimeShare: this.#answered / (this.#answered + this.#drops),
      drops: this.#drops,
      latencies,
    };
  }

  #isMeasured(now: number): boolean {
    if (this.isOver) return false;
    this.#ended++;
    if (this.#ended <= this.#warmUpItems) {
      this.#startedAt = now;
      return false;
    }
    this.#endedAt = now;
    return true;
  }
}

/** The nearest-rank percentile of ascending values; NaN when there are none. */
export function percentile(ascending: ArrayLike<number>, share: number): number {
  if (ascending.length === 0) return NaN;
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)]!;
}
