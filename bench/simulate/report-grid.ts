import type { DelayLaw } from './delay-law.js';
import type { Scenario, Workload } from './scenario.js';
import { capacityPerMs, type ServiceLaw } from './service-law.js';

/** The axes of a grid of scenarios. */
export interface GridAxes {
  readonly laws: readonly ServiceLaw[];
  readonly lanes: readonly number[];
  readonly limit: number;
  readonly maxWaitMs: number;
  /** Offered load of open arrivals, as a share of what all lanes can serve. */
  readonly openLoads: readonly number[];
  readonly clients: readonly number[];
  readonly turnArounds: readonly DelayLaw[];
  readonly warmUpItems: number;
  readonly items: number;
  readonly seed: number;
}

/** The grid that issue 3 asks for. */
export const REPORT_GRID: GridAxes = {
  laws: [
    { baseMs: 5, perCostMs: 0.2 },
    { baseMs: 0.5, perCostMs: 2 },
    { baseMs: 10, perCostMs: 0.05 },
    { baseMs: 1, perCostMs: 0.02 },
  ],
  lanes: [1, 4],
  limit: 32,
  maxWaitMs: 10,
  openLoads: [0.02, 0.1, 0.3, 0.6, 0.9],
  clients: [1, 2, 4, 8, 16, 24, 32, 48, 64, 256],
  turnArounds: [
    { kind: 'uniform', fromMs: 0.25, toMs: 0.75 },
    // 5 ms of thinking, in three forms: by chance, about even, and all alike.
    { kind: 'exponential', meanMs: 5 },
    { kind: 'uniform', fromMs: 2.5, toMs: 7.5 },
    { kind: 'constant', ms: 5 },
  ],
  warmUpItems: 3000,
  items: 9000,
  seed: 7,
};

/** What `auto` was not made with: other laws, some with noise and outliers, other turn-arounds, numbers of lanes. */
export const OTHER_GRID: GridAxes = {
  laws: [
    { baseMs: 20, perCostMs: 0.02 },
    { baseMs: 2, perCostMs: 1 },
    { baseMs: 0.2, perCostMs: 0.01 },
    { baseMs: 8, perCostMs: 0.5, noise: 0.1 },
    { baseMs: 4, perCostMs: 0.25, noise: 0.25, outlierShare: 0.005, outlierMs: 50 },
  ],
  lanes: [1, 2, 3, 8],
  limit: 32,
  maxWaitMs: 10,
  openLoads: [0.05, 0.2, 0.5, 0.8, 0.95],
  clients: [3, 6, 12, 20, 40, 100],
  turnArounds: [
    { kind: 'uniform', fromMs: 0.1, toMs: 0.3 },
    { kind: 'uniform', fromMs: 1, toMs: 3 },
    { kind: 'lognormal', medianMs: 1, sigma: 0.5 },
    { kind: 'exponential', meanMs: 20 },
    { kind: 'exponential', meanMs: 1 },
  ],
  warmUpItems: 3000,
  items: 9000,
  seed: 99,
};

/** @returns every scenario of a grid */
export function scenariosOf(axes: GridAxes): Scenario[] {
  return axes.laws.flatMap((law) =>
    axes.lanes.flatMap((lanes) =>
      workloadsOf(axes, law, lanes).map(([label, workload]) => ({
        name: `${law.baseMs}+${law.perCostMs}b, ${lanes} ${lanes === 1 ? 'lane' : 'lanes'}, ${label}`,
        law,
        lanes,
        workload,
        limit: axes.limit,
        maxWaitMs: axes.maxWaitMs,
        warmUpItems: axes.warmUpItems,
        items: axes.items,
        seed: axes.seed,
      })),
    ),
  );
}

function workloadsOf(axes: GridAxes, law: ServiceLaw, lanes: number): (readonly [string, Workload])[] {
  const open = axes.openLoads.map((load) => {
    const ratePerMs = load * lanes * capacityPerMs(law, axes.limit);
    return [`open ${load}`, { kind: 'open', ratePerMs }] as const;
  });
  const closed = axes.turnArounds.flatMap((turnAround) =>
    axes.clients.map((clients) => {
      const label = `${clients} clients, ${describeDelay(turnAround)}`;
      return [label, { kind: 'closed', clients, turnAround }] as const;
    }),
  );
  return [...open, ...closed];
}

/** @returns a delay law in a few characters */
export function describeDelay(delay: DelayLaw): string {
  switch (delay.kind) {
    case 'constant':
      return `${delay.ms} ms`;
    case 'uniform':
      return `${delay.fromMs}–${delay.toMs} ms`;
    case 'exponential':
      return `exp ${delay.meanMs} ms`;
    case 'lognormal':
      return `lognormal ${delay.medianMs} ms`;
  }
}
