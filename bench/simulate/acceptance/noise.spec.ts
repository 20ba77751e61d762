import { describe, expect, it } from 'vitest';
import { runOverload } from './overload-trace.js';

const SEEDS = [11, 12];
/** Shorter than the traces against the optimum: shares of what came are steady sooner. */
const COUNT = 3000;
const PATIENCE_MS = 60_000;
/** Half-normal noise that only adds: a batch takes 8 % longer than the law says on average, one in twenty 20 %. */
const LAW = { baseMs: 4, perCostMs: 0.25, noise: 0.1 };

describe('run times that scatter by 10 %', () => {
  it.each([0.9, 1.5])(
    'at %d× of capacity: at most 0.01 of what came ran late, and 0.9 of the optimum without noise is in time',
    (load) => {
      let [late, onTime, optimum] = [0, 0, 0];
      for (const seed of SEEDS) {
        const trace = { load, arrivals: 'poisson', count: COUNT, seed } as const;
        const outcome = runOverload({ law: LAW, limit: 32, timeoutMs: 30, ...trace });
        late += outcome.late;
        onTime += outcome.onTime;
        optimum += outcome.optimum;
      }
      expect(late / (SEEDS.length * COUNT)).toBeLessThanOrEqual(0.01);
      expect(onTime / optimum).toBeGreaterThanOrEqual(0.9);
    },
    PATIENCE_MS,
  );
});
