import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restartDelayMs } from './restart-delay.js';

describe('the wait before a dead worker is replaced', () => {
  it('BC-049 doubles with each death in a row', () => {
    expect([1, 2, 3, 4, 5].map(restartDelayMs)).toEqual([100, 200, 400, 800, 1600]);
  });

  it('BC-049 is bounded, however often a worker has died', () => {
    expect(restartDelayMs(10)).toBe(30_000);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (failures) => {
        const delay = restartDelayMs(failures);
        expect(delay).toBeGreaterThanOrEqual(100);
        expect(delay).toBeLessThanOrEqual(30_000);
        expect(restartDelayMs(failures + 1)).toBeGreaterThanOrEqual(delay);
      }),
    );
  });
});
