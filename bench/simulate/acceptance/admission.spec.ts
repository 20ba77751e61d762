import { describe, expect, it } from 'vitest';
import type { OverloadArrivals } from './overload-arrivals.js';
import { runOverload, type OverloadCase, type OverloadOutcome } from './overload-trace.js';

/** The models of the scheduling study: batching pays much, less, and hardly. */
const MODELS = {
  gpu: { law: { baseMs: 4, perCostMs: 0.25 }, limit: 32, timeoutMs: 30 },
  bert: { law: { baseMs: 3, perCostMs: 0.6 }, limit: 32, timeoutMs: 50 },
  cpu: { law: { baseMs: 1, perCostMs: 4 }, limit: 14, timeoutMs: 60 },
} as const;
type ModelName = keyof typeof MODELS;
const NAMES = Object.keys(MODELS) as ModelName[];

const GRID: readonly (readonly [OverloadArrivals['arrivals'], number, number])[] = [
  ...[1, 1.2, 2, 4].map((load) => ['poisson', load, 0.98] as const),
  ...[0.3, 0.8, 2, 4].map((load) => ['bursty', load, 0.96] as const),
];

const SEEDS = [11, 12, 13, 14, 15];
/** Arrivals at capacity or below; above it more, or a trace would be mostly its own beginning and end. */
const COUNT = 2000;
const countAt = (load: number) => COUNT * Math.max(1, load);
const PATIENCE_MS = 120_000;

/** Sums over the seeds. */
function run(name: ModelName, rest: Partial<OverloadCase>) {
  const outcomes = SEEDS.map((seed) =>
    runOverload({
      ...MODELS[name],
      load: 1,
      arrivals: 'poisson',
      count: COUNT,
      seed,
      admission: true,
      ...rest,
    }),
  );
  const sum = (count: (outcome: OverloadOutcome) => number) =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0);
  return {
    onTime: sum(({ onTime }) => onTime),
    late: sum(({ late }) => late),
    refused: sum(({ refused }) => refused),
    optimum: () => sum(({ optimum }) => optimum()),
  };
}

describe('refusing at the door what is predicted to be late', () => {
  it.each(
    NAMES.flatMap((name) => GRID.map(([arrivals, load, share]) => [name, arrivals, load, share] as const)),
  )(
    '%s, %s arrivals at %d× of capacity: at least %d of the clairvoyant optimum in time, nothing late',
    (name, arrivals, load, share) => {
      const { onTime, optimum, late } = run(name, { arrivals, load, count: countAt(load) });
      expect(onTime / optimum()).toBeGreaterThanOrEqual(share);
      expect(late).toBe(0);
    },
    PATIENCE_MS,
  );

  it(
    'tells most of those that it cannot serve at once',
    () => {
      const { onTime, refused } = run('gpu', { load: 4 });
      expect(refused / (SEEDS.length * COUNT - onTime)).toBeGreaterThan(0.75);
    },
    PATIENCE_MS,
  );

  it.each(NAMES)(
    '%s: refuses nobody at half of the capacity, nor after 10 s without a request, nor of a burst that fits',
    (name) => {
      const all = SEEDS.length * COUNT;
      const idle = { after: 1000, ms: 10_000 };
      expect(run(name, { load: 0.5, idle })).toMatchObject({ onTime: all, refused: 0 });
      const bursts = run(name, { arrivals: 'bursty', load: 0.125 });
      expect(bursts).toMatchObject({ onTime: all, refused: 0 });
      expect(bursts.optimum()).toBe(all);
    },
    PATIENCE_MS,
  );
});
