import { describe, expect, it } from 'vitest';
import type { OverloadArrivals } from './overload-arrivals.js';
import { runOverload, type OverloadCase } from './overload-trace.js';

/** The models of the scheduling study: batching pays much, less, and hardly. */
const MODELS = {
  gpu: { law: { baseMs: 4, perCostMs: 0.25 }, limit: 32, timeoutMs: 30 },
  bert: { law: { baseMs: 3, perCostMs: 0.6 }, limit: 32, timeoutMs: 50 },
  cpu: { law: { baseMs: 1, perCostMs: 4 }, limit: 14, timeoutMs: 60 },
} as const;
type ModelName = keyof typeof MODELS;

const SEEDS = [11, 12];
const COUNT = 4000;
const PATIENCE_MS = 120_000;

/** Sums over the seeds. */
function run(name: ModelName, rest: Partial<OverloadCase>) {
  const sum = { onTime: 0, optimum: 0, late: 0, refused: 0 };
  for (const seed of SEEDS) {
    const trace = { load: 1, arrivals: 'poisson', count: COUNT, seed } as const;
    const outcome = runOverload({ ...MODELS[name], ...trace, admission: true, ...rest });
    for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += outcome[key];
  }
  return sum;
}

describe('refusing at the door what is predicted to be late', () => {
  it.each<[ModelName, OverloadArrivals['arrivals'], number, number]>([
    ['gpu', 'poisson', 1, 0.98],
    ['gpu', 'poisson', 4, 0.98],
    ['gpu', 'bursty', 2, 0.96],
    ['bert', 'poisson', 2, 0.98],
    ['bert', 'bursty', 0.8, 0.96],
    ['cpu', 'poisson', 1.2, 0.98],
    ['cpu', 'poisson', 4, 0.98],
    ['cpu', 'bursty', 2, 0.96],
  ])(
    '%s, %s arrivals at %d× of capacity: at least %d of the clairvoyant optimum in time, nothing late',
    (name, arrivals, load, share) => {
      const { onTime, optimum, late } = run(name, { arrivals, load });
      expect(onTime / optimum).toBeGreaterThanOrEqual(share);
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

  it.each(['gpu', 'bert', 'cpu'] as const)(
    '%s: refuses nobody at half of the capacity, nor after 10 s without a request, nor of a burst that fits',
    (name) => {
      const idle = { after: 1000, ms: 10_000 };
      expect(run(name, { load: 0.5, count: 2000, idle })).toMatchObject({ onTime: 4000, refused: 0 });
      const bursts = run(name, { arrivals: 'bursty', load: 0.125, count: 2000 });
      expect(bursts).toMatchObject({ onTime: 4000, refused: 0, optimum: 4000 });
    },
    PATIENCE_MS,
  );
});
