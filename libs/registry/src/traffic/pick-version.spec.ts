import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pickVersion } from './pick-version.js';

const versions = (...labels: string[]) => labels.map((version) => ({ version }));
const KEYS = Array.from({ length: 20_000 }, (_, index) => `client-${index}`);

function parts(weights: Record<string, number>, candidates = versions(...Object.keys(weights))) {
  const counts: Record<string, number> = {};
  for (const key of KEYS) {
    const version = pickVersion(key, candidates, weights)?.version ?? 'none';
    counts[version] = (counts[version] ?? 0) + 1 / KEYS.length;
  }
  return counts;
}

describe('a split by weight', () => {
  it('gives each version its share of the keys', () => {
    const shares = parts({ '1': 90, '2': 9, '3': 1 });
    expect(shares['1']).toBeCloseTo(0.9, 1);
    expect(Math.abs(shares['2']! - 0.09)).toBeLessThan(0.01);
    expect(Math.abs(shares['3']! - 0.01)).toBeLessThan(0.003);
  });

  it('shares the part of a version that is gone in proportion', () => {
    const shares = parts({ '1': 60, '2': 30, '3': 10 }, versions('2', '3'));
    expect(Math.abs(shares['2']! - 0.75)).toBeLessThan(0.02);
    expect(Math.abs(shares['3']! - 0.25)).toBeLessThan(0.02);
  });

  it('gives nothing to weight 0, to versions without a weight, or to what an object inherits', () => {
    expect(parts({ '1': 1, '2': 0 }, versions('1', '2', '3', 'constructor'))).toEqual({
      '1': expect.closeTo(1),
    });
    expect(pickVersion('key', versions('2', '3'), { '1': 1, '2': 0 })).toBeUndefined();
  });

  it('moves a key only to the version that grew, and only away from the one that went', () => {
    const weight = fc.integer({ min: 1, max: 100 });
    fc.assert(
      fc.property(fc.string(), weight, weight, weight, weight, (key, one, two, three, more) => {
        const all = versions('1', '2', '3');
        const before = pickVersion(key, all, { '1': one, '2': two, '3': three })!.version;
        const grown = pickVersion(key, all, { '1': one, '2': two, '3': three + more })!.version;
        expect([before, '3']).toContain(grown);
        const without = pickVersion(key, versions('1', '2'), { '1': one, '2': two, '3': three })!.version;
        if (before !== '3') expect(without).toBe(before);
        // The order in which versions are listed says nothing.
        expect(pickVersion(key, all.toReversed(), { '1': one, '2': two, '3': three })!.version).toBe(before);
      }),
    );
  });
});
