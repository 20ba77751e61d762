import { describe, expect, it } from 'vitest';
import { runOverload } from './overload-trace.js';

/** Half-normal noise that only adds: a batch takes 8 % longer than the law says on average, one in twenty 20 %. */
const NOISE = 0.1;
const MODELS = [
  ['gpu', { law: { baseMs: 4, perCostMs: 0.25, noise: NOISE }, limit: 32, timeoutMs: 30 }],
  ['bert', { law: { baseMs: 3, perCostMs: 0.6, noise: NOISE }, limit: 32, timeoutMs: 50 }],
  ['cpu', { law: { baseMs: 1, perCostMs: 4, noise: NOISE }, limit: 14, timeoutMs: 60 }],
] as const;
const SEEDS = [11, 12, 13, 14, 15];
const COUNT = 3000;
const PATIENCE_MS = 60_000;

describe('run times that scatter by 10 %', () => {
  it.each(MODELS.flatMap(([name, model]) => [0.9, 1.5].map((load) => [name, load, model] as const)))(
    '%s at %d× of capacity: at most 0.01 of what came ran late, and 0.9 of the optimum without noise is in time',
    (_, load, model) => {
      let [late, onTime, optimum] = [0, 0, 0];
      for (const seed of SEEDS) {
        const outcome = runOverload({ ...model, load, arrivals: 'poisson', count: COUNT, seed });
        late += outcome.late;
        onTime += outcome.onTime;
        optimum += outcome.optimum();
      }
      expect(late / (SEEDS.length * COUNT)).toBeLessThanOrEqual(0.01);
      expect(onTime / optimum).toBeGreaterThanOrEqual(0.9);
    },
    PATIENCE_MS,
  );
});
