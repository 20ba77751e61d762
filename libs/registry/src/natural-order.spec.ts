import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions } from './natural-order.js';

const label = fc.oneof(
  fc.constantFrom('v9', 'v10', 'beta', '1.10.0', '1.9.0', '2024-03-20', '1', '01', 'V9', '1.0'),
  fc.stringMatching(/^[A-Za-z0-9._-]{1,8}$/),
);

describe('the order of versions', () => {
  it.each([
    ['v9', 'v10'],
    ['1.9.0', '1.10.0'],
    ['2', '10'],
    ['1', 'beta'],
    ['2024-03-20', '2024-11-02'],
  ])('BC-083 puts %s before %s', (lower, higher) => {
    expect(compareVersions(lower, higher)).toBeLessThan(0);
    expect(compareVersions(higher, lower)).toBeGreaterThan(0);
  });

  it('BC-083 is total, and adding a label does not change the order of the others', () => {
    fc.assert(
      fc.property(label, label, label, (a, b, c) => {
        expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) + 0);
        expect(compareVersions(a, b) === 0).toBe(a === b);
        if (compareVersions(a, b) < 0 && compareVersions(b, c) < 0) {
          expect(compareVersions(a, c)).toBeLessThan(0);
        }
      }),
    );
  });
});
