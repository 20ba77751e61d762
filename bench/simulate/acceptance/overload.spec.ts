import { AutoWindow, EagerWindow, FixedWindow, type WindowPolicy } from '#batching';
import { describe, expect, it } from 'vitest';
import { greedyMeanLatencyMs } from '../greedy-latency.js';
import { capacityPerMs, meanServiceMs } from '../service-law.js';
import { runOverload, type OverloadCase, type OverloadOutcome } from './overload-trace.js';

/** The models of the scheduling study: batching pays much, less, and hardly. */
const MODELS = {
  gpu: { law: { baseMs: 4, perCostMs: 0.25 }, limit: 32, timeoutMs: 30 },
  bert: { law: { baseMs: 3, perCostMs: 0.6 }, limit: 32, timeoutMs: 50 },
  cpu: { law: { baseMs: 1, perCostMs: 4 }, limit: 14, timeoutMs: 60 },
} as const;
type ModelName = keyof typeof MODELS;
const NAMES = Object.keys(MODELS) as ModelName[];

const GRID: readonly (readonly [OverloadCase['arrivals'], number])[] = [
  ...[0.8, 1, 1.2, 2, 4].map((load) => ['poisson', load] as const),
  ...[0.3, 0.8, 2, 4].map((load) => ['bursty', load] as const),
];

const SEEDS = [11, 12, 13, 14, 15];
/** Arrivals at capacity or below; above it more, or a trace would be mostly its own beginning and end. */
const COUNT = 2000;
const countAt = (load: number) => COUNT * Math.max(1, load);
const PATIENCE_MS = 120_000;

function run(name: ModelName, rest: Partial<OverloadCase>): OverloadOutcome {
  return runOverload({ ...MODELS[name], load: 1, arrivals: 'poisson', count: COUNT, seed: 11, ...rest });
}

/** Over all seeds: what was served in time as a share of the optimum, and how many runs were late. */
function againstOptimum(name: ModelName, rest: Partial<OverloadCase>): { share: number; late: number } {
  let [onTime, optimum, late] = [0, 0, 0];
  for (const seed of SEEDS) {
    const outcome = run(name, { ...rest, seed });
    onTime += outcome.onTime;
    optimum += outcome.optimum();
    late += outcome.late;
  }
  return { share: onTime / optimum, late };
}

describe('on-time answers against the clairvoyant optimum', () => {
  it.each(NAMES.flatMap((name) => GRID.map(([arrivals, load]) => [name, arrivals, load] as const)))(
    '%s, %s arrivals at %d× of capacity: at least 0.98, nothing late',
    (name, arrivals, load) => {
      const { share, late } = againstOptimum(name, { arrivals, load, count: countAt(load) });
      expect(share).toBeGreaterThanOrEqual(0.98);
      expect(late).toBe(0);
    },
    PATIENCE_MS,
  );

  it.each(NAMES)(
    '%s: as much in every second of a long overload, of 4× of capacity',
    (name) => {
      const { law, limit } = MODELS[name];
      const perSecond = 1000 * capacityPerMs(law, limit);
      const { onTimeBySecond } = run(name, { load: 4, count: 40 * perSecond });
      // The last second is a short one.
      const seconds = onTimeBySecond.slice(0, -1);
      expect(seconds.length).toBeGreaterThanOrEqual(9);
      expect(Math.min(...seconds)).toBeGreaterThanOrEqual(0.9 * perSecond);
    },
    PATIENCE_MS,
  );

  it.each(NAMES)(
    '%s: a device 20 % slower than it was while the law was learned is found out',
    (name) => {
      const { share } = againstOptimum(name, { load: 1.5, slowdownAfterWarmUp: 1.2 });
      // The optimum of the slower device is at least 1/1.2 of that of the faster one.
      expect(1.2 * share).toBeGreaterThanOrEqual(0.95);
    },
    PATIENCE_MS,
  );

  it.each(NAMES)(
    '%s: nothing is refused at half of the capacity, nor after 10 s without a request',
    (name) => {
      const idle = { after: 1000, ms: 10_000 };
      const { onTime } = run(name, { load: 0.5, idle });
      expect(onTime).toBe(COUNT);
    },
  );

  it.each(NAMES)('%s: nothing is refused of bursts that can all be served', (name) => {
    // A burst is 4 times the mean.
    const { onTime, optimum } = run(name, { arrivals: 'bursty', load: 0.125 });
    expect(optimum()).toBe(COUNT);
    expect(onTime).toBe(COUNT);
  });

  it.each([0.1, 0.5])(
    'auto adds nothing to the latency of a load of %d, where a 10 ms timer adds much',
    (load) => {
      for (const name of NAMES) {
        const mean = (window: () => WindowPolicy) => run(name, { load, count: 4000, window }).meanLatencyMs;
        const eager = mean(() => new EagerWindow());
        expect(mean(() => new AutoWindow()) / eager).toBeLessThanOrEqual(1.02);
        expect(mean(() => new FixedWindow()) / eager).toBeGreaterThan(1.02);
      }
    },
  );

  it.each<[ModelName, number]>([
    ['gpu', 0.1],
    ['gpu', 0.5],
    ['gpu', 0.8],
    ['bert', 0.5],
    ['cpu', 0.5],
  ])('%s at a load of %d: eager has the mean latency that the theory gives for it', (name, load) => {
    const { law, limit } = MODELS[name];
    const ratePerMs = load * capacityPerMs(law, limit);
    const expected = greedyMeanLatencyMs({ ratePerMs, limit, serviceMs: (size) => meanServiceMs(law, size) });
    // With time enough for everybody, so that nobody is given up.
    const { meanLatencyMs } = run(name, { load, count: 40_000, timeoutMs: 10_000 });
    expect(meanLatencyMs / expected).toBeGreaterThan(0.97);
    expect(meanLatencyMs / expected).toBeLessThan(1.03);
  });
});
