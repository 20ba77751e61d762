import { describe, expect, it } from 'vitest';
import { optimalOnTime, type SchedulingProblem } from './optimal-schedule.js';
import { RandomSource } from './random-source.js';

/** Tries every order of every batch of every subset: no exchange argument, so no item need go by arrival. */
function bruteForce({ arrivals, serviceMs, limit, timeoutMs }: SchedulingProblem): number {
  const all = (1 << arrivals.length) - 1;
  const known = new Map<string, number>();
  const best = (left: number, free: number): number => {
    const key = `${left}|${free}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    let most = 0;
    for (let batch = left; batch > 0; batch = (batch - 1) & left) {
      const items = arrivals.filter((_, index) => (batch & (1 << index)) !== 0);
      if (items.length > limit) continue;
      const end = Math.max(free, items.at(-1)!) + serviceMs(items.length);
      if (end > items[0]! + timeoutMs) continue;
      most = Math.max(most, items.length + best(left & ~batch, end));
    }
    known.set(key, most);
    return most;
  };
  return best(all, -Infinity);
}

describe('the optimal schedule', () => {
  it('is what brute force finds', () => {
    const random = new RandomSource(11);
    for (let instance = 0; instance < 60; instance++) {
      const slope = random.uniform(0.1, 3);
      const base = random.uniform(0.5, 5);
      const arrivals = Array.from({ length: 7 }, () => random.uniform(0, 12)).sort((a, b) => a - b);
      const problem: SchedulingProblem = {
        arrivals,
        serviceMs: (size) => base + slope * size,
        limit: 1 + Math.floor(random.uniform(0, 4)),
        timeoutMs: random.uniform(3, 15),
      };
      expect(optimalOnTime(problem)).toBe(bruteForce(problem));
    }
  });

  it('serves everyone when there is time, and nobody when there is none', () => {
    const problem = { arrivals: [0, 1, 2, 50], serviceMs: () => 5, limit: 2, timeoutMs: 30 };
    expect(optimalOnTime(problem)).toBe(4);
    expect(optimalOnTime({ ...problem, timeoutMs: 4 })).toBe(0);
  });
});
