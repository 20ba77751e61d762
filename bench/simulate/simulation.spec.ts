import { describe, expect, it } from 'vitest';
import { drawDelay } from './delay-law.js';
import { AUTO, FIXED_SETTINGS } from './policies.js';
import { RandomSource } from './random-source.js';
import type { Scenario } from './scenario.js';
import { SHOWCASE } from './showcase.js';
import { simulate } from './simulation.js';
import { renderPlot } from './svg-plot.js';

const EAGER = FIXED_SETTINGS[0]!;
const base: Scenario = {
  name: 'test',
  law: { baseMs: 5, perCostMs: 0.2 },
  lanes: 1,
  limit: 32,
  maxWaitMs: 10,
  workload: { kind: 'closed', clients: 1, turnAround: { kind: 'constant', ms: 1 } },
  warmUpItems: 500,
  items: 2000,
  seed: 1,
};

describe('the simulator', () => {
  it('is deterministic', () => {
    for (const scenario of SHOWCASE) {
      const short = { ...scenario, warmUpItems: 100, items: 500 };
      expect(simulate(short, AUTO)).toEqual(simulate(short, AUTO));
    }
  });

  it('agrees with what one client must see', () => {
    const summary = simulate(base, EAGER);
    expect(summary.meanMs).toBeCloseTo(5.2, 6);
    expect(summary.throughput).toBeCloseTo(1000 / 6.2, 0);
    expect(summary.meanBatch).toBe(1);
  });

  it("agrees with Little's law in a closed loop", () => {
    const workload = { kind: 'closed', clients: 12, turnAround: { kind: 'exponential', meanMs: 4 } } as const;
    const { meanMs, throughput } = simulate({ ...base, workload, items: 20_000 }, EAGER);
    expect((meanMs + 4) * (throughput / 1000)).toBeCloseTo(12, 0);
  });

  it('agrees with the Pollaczek–Khinchine formula for batches of one', () => {
    const [serviceMs, ratePerMs] = [5.2, 0.1];
    const workload = { kind: 'open', ratePerMs } as const;
    const { meanMs } = simulate({ ...base, limit: 1, workload, items: 60_000 }, EAGER);
    const load = ratePerMs * serviceMs;
    expect(meanMs / (serviceMs + (load * serviceMs) / (2 * (1 - load)))).toBeCloseTo(1, 1);
  });

  it('keeps the mean rate of bursty arrivals', () => {
    const workload = {
      kind: 'bursty',
      ratePerMs: 0.5,
      burstFactor: 4,
      meanBurstMs: 20,
      meanQuietMs: 80,
    } as const;
    const { throughput } = simulate({ ...base, workload, items: 40_000 }, EAGER);
    expect(throughput / 500).toBeCloseTo(1, 1);
  });

  it('drops what cannot be in time, and answers the others in time', () => {
    const workload = { kind: 'open', ratePerMs: 6 } as const;
    const { drops, onTimeShare, latencies } = simulate({ ...base, workload, timeoutMs: 40 }, EAGER);
    expect(drops).toBeGreaterThan(500);
    expect(onTimeShare).toBeGreaterThan(0.4);
    expect(latencies.at(-1)!).toBeLessThanOrEqual(40);
  });

  it('draws each delay law with its mean', () => {
    const random = new RandomSource(5);
    const mean = (law: Parameters<typeof drawDelay>[0]) => {
      let sum = 0;
      for (let draw = 0; draw < 20_000; draw++) sum += drawDelay(law, random);
      return sum / 20_000;
    };
    expect(mean({ kind: 'uniform', fromMs: 1, toMs: 3 })).toBeCloseTo(2, 1);
    expect(mean({ kind: 'exponential', meanMs: 2 })).toBeCloseTo(2, 1);
    expect(mean({ kind: 'lognormal', medianMs: 1, sigma: 0.5 })).toBeCloseTo(Math.exp(0.125), 1);
  });

  it('plots', () => {
    const plot = {
      title: 'a < b',
      xLabel: 'x',
      yLabel: 'y',
      lines: [
        {
          name: 'line',
          points: [
            [0, 0],
            [3, 7],
          ] as const,
        },
      ],
    };
    const svg = renderPlot(plot);
    expect(svg).toContain('<polyline');
    expect(svg).toContain('a &#60; b');
    expect(renderPlot({ ...plot, lines: [] })).not.toContain('NaN');
  });
});
