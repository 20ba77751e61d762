import type { DelayLaw } from './delay-law.js';
import type { ServiceLaw } from './service-law.js';

/** Where a scenario's items come from. */
export type Workload = OpenWorkload | BurstyWorkload | ClosedWorkload;

/** Poisson arrivals that do not care for answers. */
export interface OpenWorkload {
  readonly kind: 'open';
  /** Arrivals per millisecond. */
  readonly ratePerMs: number;
}

/** Arrivals that switch between two rates at random times (a Markov-modulated Poisson process). */
export interface BurstyWorkload {
  readonly kind: 'bursty';
  /** Mean arrivals per millisecond over both phases. */
  readonly ratePerMs: number;
  /** Rate within a burst, as a multiple of the mean. */
  readonly burstFactor: number;
  readonly meanBurstMs: number;
  readonly meanQuietMs: number;
}

/** Clients that send again once they have their answer. */
export interface ClosedWorkload {
  readonly kind: 'closed';
  readonly clients: number;
  /** From an answer to the client's next request. */
  readonly turnAround: DelayLaw;
}

/** One simulated situation, the same for every policy that is tried in it. */
export interface Scenario {
  readonly name: string;
  readonly law: ServiceLaw;
  readonly lanes: number;
  /** `maxBatchSize`. */
  readonly limit: number;
  readonly maxWaitMs: number;
  readonly workload: Workload;
  /** Time from arrival within which each item must end, in milliseconds. Default: 30 s. */
  readonly timeoutMs?: number;
  /** Share of items that cost `heavyCost` instead of 1. Default 0. */
  readonly heavyShare?: number;
  readonly heavyCost?: number;
  /** Items that end before measuring begins. */
  readonly warmUpItems: number;
  /** Items measured. */
  readonly items: number;
  readonly seed: number;
}
