import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PercentileWindow } from './percentile-window.js';

function windowOf(values: readonly number[], capacity = 64): PercentileWindow {
  const window = new PercentileWindow(capacity);
  for (const value of values) window.add(value);
  return window;
}

describe('a percentile window', () => {
  it('gives the true percentile of the latest, not their maximum', () => {
    const values = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(values, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
        const latest = all.slice(-64);
        const percentile = windowOf(all).percentile(share);
        // By definition: at least so many are not above it, and it is the least value of which that is true.
        const notAbove = (limit: number) => latest.filter((value) => value <= limit).length;
        expect(notAbove(percentile)).toBeGreaterThanOrEqual(share * latest.length);
        const lower = latest.filter((value) => value < percentile);
        if (lower.length > 0) expect(notAbove(Math.max(...lower))).toBeLessThan(share * latest.length);
      }),
    );
  });

  it('lets one outlier of twenty pass', () => {
    expect(windowOf([...Array.from({ length: 19 }, () => 10), 5000]).percentile(0.95)).toBe(10);
    expect(windowOf([...Array.from({ length: 18 }, () => 10), 5000, 5000]).percentile(0.95)).toBe(5000);
  });

  it('forgets what is older than its capacity, and everything when it is cleared', () => {
    const window = windowOf([100, 100, 1, 2, 3], 3);
    expect([window.size, window.percentile(1)]).toEqual([3, 3]);
    window.clear();
    expect([window.size, window.percentile(0.95)]).toEqual([0, NaN]);
    window.add(7);
    expect([window.size, window.percentile(0.95)]).toEqual([1, 7]);
  });
});
