import { describe, expect, it } from 'vitest';
import { holdGain, type HoldSituation } from './hold-gain.js';

const one: HoldSituation = {
  waiting: 1,
  nextLaneMs: 5.2,
  anotherLaneMs: Infinity,
  arrivals: 7,
  serviceTimeMs: (size) => 5 + 0.2 * size,
  expectedWait: () => 0,
};

/** The gain of a hold in whose middle `joining` items come. */
function gain(situation: HoldSituation, holdMs: number, joining: number): number {
  return holdGain(situation, holdMs, joining, joining * Math.max(holdMs / 2, situation.nextLaneMs));
}

describe('the gain of a hold', () => {
  it('is great where many come soon after one, and none where one comes after many', () => {
    expect(gain(one, 0.5, 7)).toBeGreaterThan(20);
    expect(gain({ ...one, waiting: 20, nextLaneMs: 9, arrivals: 1 }, 0.5, 1)).toBeLessThan(0);
  });

  it('falls with every millisecond of the hold, by one an item', () => {
    expect(gain(one, 1, 7) - gain(one, 2, 7)).toBeCloseTo(8, 6);
  });

  it('is little where another lane is about to be free', () => {
    const soon = { ...one, anotherLaneMs: 0.4, nextLaneMs: 0.4 };
    expect(gain(soon, 0.5, 7)).toBeLessThan(0);
  });

  it('is none where batching does not help', () => {
    const proportional = { ...one, serviceTimeMs: (size: number) => 2 * size, nextLaneMs: 8, waiting: 4 };
    expect(gain({ ...proportional, arrivals: 4 }, 0.5, 4)).toBeLessThan(0);
  });

  it('counts, on one lane, that those who return would wait for the stragglers', () => {
    const merged = {
      ...one,
      waiting: 20,
      nextLaneMs: 9,
      arrivals: 4,
      expectedWait: (ms: number) => Math.max(0, ms - 0.5),
    };
    expect(gain(merged, 1.5, 4)).toBeGreaterThan(gain({ ...merged, expectedWait: () => 0 }, 1.5, 4) + 20);
  });
});
