import type { Scenario } from './scenario.js';
import { capacityPerMs } from './service-law.js';

const law = { baseMs: 5, perCostMs: 0.2 };
const common = {
  law,
  lanes: 1,
  limit: 32,
  maxWaitMs: 10,
  warmUpItems: 3000,
  items: 20_000,
  seed: 7,
} as const;
const rate = (load: number) => load * capacityPerMs(law, common.limit);
const turnAround = { kind: 'uniform', fromMs: 0.25, toMs: 0.75 } as const;

/** A scenario of each kind, for a look at what the policies do. */
export const SHOWCASE: readonly Scenario[] = [
  { ...common, name: 'independent, load 0.3', workload: { kind: 'open', ratePerMs: rate(0.3) } },
  { ...common, name: 'independent, load 0.9', workload: { kind: 'open', ratePerMs: rate(0.9) } },
  {
    ...common,
    name: 'bursty, load 0.6',
    workload: { kind: 'bursty', ratePerMs: rate(0.6), burstFactor: 2.5, meanBurstMs: 100, meanQuietMs: 400 },
  },
  ...[1, 8, 16, 32].map((clients): Scenario => ({
    ...common,
    name: `${clients} closed-loop ${clients === 1 ? 'client' : 'clients'}`,
    workload: { kind: 'closed', clients, turnAround },
  })),
  {
    ...common,
    name: '64 clients that think 20 ms',
    workload: { kind: 'closed', clients: 64, turnAround: { kind: 'exponential', meanMs: 20 } },
  },
  {
    ...common,
    name: '32 clients, 4 lanes',
    lanes: 4,
    workload: { kind: 'closed', clients: 32, turnAround },
  },
  {
    ...common,
    name: 'noise, outliers and mixed costs, load 0.6',
    law: { ...law, noise: 0.1, outlierShare: 0.002, outlierMs: 100 },
    heavyShare: 0.1,
    heavyCost: 8,
    workload: { kind: 'open', ratePerMs: 0.6 * capacityPerMs(law, common.limit, 1.7) },
  },
  {
    ...common,
    name: 'overload 1.5x, deadline 40 ms',
    timeoutMs: 40,
    workload: { kind: 'open', ratePerMs: rate(1.5) },
  },
];
