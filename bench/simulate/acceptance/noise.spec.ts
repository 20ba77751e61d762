import { describe, expect, it } from 'vitest';
import { runOverload } from './overload-trace.js';

const SEEDS = [11, 12, 13];
/** Shorter than the traces against the optimum: shares of what came are steady sooner. */
const COUNT = 4000;
const PATIENCE_MS = 60_000;
/** Run times that are up to about 20 % longer than the law says, never shorter. */
const NOISY = { baseMs: 4, perCostMs: 0.25, noise: 0.1 };

describe('run times that scatter', () => {
  it.each([0.9, 1.5])(
    '10 %% of noise at %d× of capacity: at most 1 %% of what came was late',
    (load) => {
      for (const seed of SEEDS) {
        const { late } = runOverload({
          law: NOISY,
          limit: 32,
          timeoutMs: 30,
          load,
          arrivals: 'poisson',
          count: COUNT,
          seed,
        });
        console.log(load, seed, late / COUNT);
        expect(late / COUNT).toBeLessThanOrEqual(0.01);
      }
    },
    PATIENCE_MS,
  );
});
