import { describe, expect, it } from 'vitest';
import { SafetyFactor } from './safety-factor.js';

function after(ratios: readonly number[]): number {
  const factor = new SafetyFactor();
  for (const ratio of ratios) factor.observe(10, 10 * ratio);
  return factor.value;
}

const times = (count: number, ratio: number) => Array.from({ length: count }, () => ratio);

describe('the safety factor', () => {
  it('starts at 1.1', () => {
    expect(new SafetyFactor().value).toBe(1.1);
  });

  it('reacts to an optimistic model within four batches', () => {
    expect(after(times(4, 1.3))).toBeCloseTo(1.3);
  });

  it('is the 95th percentile of the last 64', () => {
    expect(after(times(64, 1))).toBe(1);
    expect(after([...times(61, 1), 2, 2, 2])).toBe(1);
    expect(after([...times(60, 1), 2, 2, 2, 2])).toBe(2);
    expect(after([...times(10, 2), ...times(64, 1)])).toBe(1);
  });

  it('stays within 0.8 and 3', () => {
    expect(after(times(64, 0.1))).toBe(0.8);
    expect(after(times(64, 50))).toBe(3);
  });

  it('BC-067 is not moved by one outlier', () => {
    expect(after([...times(64, 1), 1000])).toBe(1);
  });

  it('leaves out what could not be predicted', () => {
    const factor = new SafetyFactor();
    for (let index = 0; index < 64; index++) factor.observe(0, 100);
    expect(factor.value).toBe(1.1);
  });
});
