import { AutoWindow, EagerWindow, FixedWindow, type WindowPolicy } from '#batching';
import { describe, expect, it } from 'vitest';
import { runOverload, type OverloadCase, type OverloadOutcome } from './overload-trace.js';

/** The models of the scheduling study: batching pays much, less, and hardly. */
const MODELS = {
  gpu: { law: { baseMs: 4, perCostMs: 0.25 }, limit: 32, timeoutMs: 30 },
  bert: { law: { baseMs: 3, perCostMs: 0.6 }, limit: 32, timeoutMs: 50 },
  cpu: { law: { baseMs: 1, perCostMs: 4 }, limit: 14, timeoutMs: 60 },
} as const;
type ModelName = keyof typeof MODELS;

/** Shorter traces are mostly their own beginning and end. */
const COUNT = 8000;
const PATIENCE_MS = 120_000;

function run(name: ModelName, rest: Partial<OverloadCase>): OverloadOutcome {
  return runOverload({ ...MODELS[name], load: 1, arrivals: 'poisson', count: COUNT, seed: 11, ...rest });
}

const shareOfOptimum = ({ onTime, optimum }: OverloadOutcome) => onTime / optimum;

describe('on-time answers against the clairvoyant optimum', () => {
  it.each<[ModelName, OverloadCase['arrivals'], number]>([
    ['gpu', 'poisson', 1],
    ['gpu', 'poisson', 1.2],
    ['gpu', 'poisson', 4],
    ['gpu', 'bursty', 0.3],
    ['gpu', 'bursty', 0.8],
    ['gpu', 'bursty', 2],
    ['gpu', 'bursty', 4],
    ['bert', 'poisson', 1],
    ['bert', 'poisson', 1.2],
    ['bert', 'poisson', 4],
    ['bert', 'bursty', 0.3],
    ['bert', 'bursty', 0.8],
    ['bert', 'bursty', 4],
    ['cpu', 'poisson', 0.8],
    ['cpu', 'poisson', 1],
    ['cpu', 'poisson', 2],
    ['cpu', 'poisson', 4],
    ['cpu', 'bursty', 0.3],
    ['cpu', 'bursty', 0.8],
    ['cpu', 'bursty', 4],
  ])(
    '%s, %s arrivals at %d× of capacity: at least 0.98, nothing late, no second without',
    (name, arrivals, load) => {
      const outcome = run(name, { arrivals, load });
      expect(shareOfOptimum(outcome)).toBeGreaterThanOrEqual(0.98);
      expect(outcome.late).toBe(0);
      // The last second may be a short one.
      expect(Math.min(...outcome.onTimeBySecond.slice(0, -1))).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );

  it('a device 20 % slower than it was while the law was learned is found out', () => {
    const { onTime, optimum } = run('cpu', { load: 1.5, slowdownAfterWarmUp: 1.2 });
    // The optimum of the slower device is at least 1/1.2 of that of the faster one.
    expect(onTime / (optimum / 1.2)).toBeGreaterThanOrEqual(0.95);
  });

  it.each(['gpu', 'bert', 'cpu'] as const)(
    '%s: nothing is refused at half of the capacity, nor after 10 s without a request',
    (name) => {
      const idle = { after: 1000, ms: 10_000 };
      const { onTime } = run(name, { load: 0.5, count: 2000, idle });
      expect(onTime).toBe(2000);
    },
  );

  it.each(['gpu', 'bert', 'cpu'] as const)(
    '%s: nothing is refused of bursts that can all be served',
    (name) => {
      // A burst is 4 times the mean.
      const { onTime, optimum } = run(name, { arrivals: 'bursty', load: 0.125, count: 2000 });
      expect(optimum).toBe(2000);
      expect(onTime).toBe(2000);
    },
  );

  it('auto adds nothing to the latency of a light load, where a 10 ms timer adds much', () => {
    for (const name of ['gpu', 'bert', 'cpu'] as const) {
      const mean = (window: () => WindowPolicy) =>
        run(name, { load: 0.5, count: 4000, window }).meanLatencyMs;
      const eager = mean(() => new EagerWindow());
      expect(mean(() => new AutoWindow()) / eager).toBeLessThanOrEqual(1.02);
      expect(mean(() => new FixedWindow()) / eager).toBeGreaterThan(1.02);
    }
  });
});
