import { VirtualClock } from '#batching';
import { startClients } from '../clients.js';
import { RandomSource } from '../random-source.js';
import type { BurstyWorkload, OpenWorkload } from '../scenario.js';
import { capacityPerMs, type ServiceLaw } from '../service-law.js';

/** Arrivals at a multiple of what a model can do. */
export interface OverloadArrivals {
  readonly law: ServiceLaw;
  readonly limit: number;
  /** Arrivals as a multiple of the capacity. */
  readonly load: number;
  readonly arrivals: 'poisson' | 'bursty';
  readonly count: number;
  readonly seed: number;
  /** A time without arrivals, in milliseconds, after so many of them. */
  readonly idle?: { readonly after: number; readonly ms: number };
}

/** When the items of a case arrive: ascending, in milliseconds from its start. */
export function overloadArrivals(each: OverloadArrivals): number[] {
  const { law, limit, load, arrivals, count, seed, idle } = each;
  const ratePerMs = load * capacityPerMs(law, limit);
  const open: OpenWorkload = { kind: 'open', ratePerMs };
  const bursty: BurstyWorkload = {
    kind: 'bursty',
    ratePerMs,
    burstFactor: 4,
    meanBurstMs: 100,
    meanQuietMs: 400,
  };
  const clock = new VirtualClock();
  const trace: number[] = [];
  startClients(
    arrivals === 'poisson' ? open : bursty,
    () => trace.push(clock.now()),
    clock,
    new RandomSource(seed),
  );
  while (trace.length < count) clock.step();
  return idle === undefined ? trace : trace.map((at, index) => (index < idle.after ? at : at + idle.ms));
}
