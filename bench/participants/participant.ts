/** How a participant is loaded for one measurement. */
export interface Load {
  /** Clients, each of which sends its next request when it has its answer. */
  readonly connections: number;
  readonly seconds: number;
}

/** What one measurement found. */
export interface Measurement {
  /** Items a second: answered requests, or rows of a direct loop. */
  readonly rate: number;
  /** Latency percentiles in milliseconds. */
  readonly latencyMs?: { readonly p50: number; readonly p90: number; readonly p99: number };
  /** CPU time for one item, in microseconds: of all threads, and of a server's HTTP thread alone. */
  readonly cpuMicros?: { readonly all: number; readonly http?: number };
  /** Mean size of the batches that ran; for a direct loop, its best batch size. */
  readonly batchSize?: number;
  /** Requests that were answered with an error, or not at all. */
  readonly failed: number;
}

/** One of those that a suite measures side by side. */
export interface Participant {
  /** Unique in its suite. */
  readonly name: string;
  /** Brings it to its full speed before it is measured. */
  warmUp(load: Load): Promise<void>;
  measure(load: Load): Promise<Measurement>;
}
