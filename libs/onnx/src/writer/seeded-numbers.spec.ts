import { describe, expect, it } from 'vitest';
import { SeededNumbers } from './seeded-numbers.js';

describe('SeededNumbers', () => {
  it('gives the published sequence of its algorithm', () => {
    const numbers = new SeededNumbers(1);
    const first = [numbers.nextInteger(), numbers.nextInteger(), numbers.nextInteger()];
    expect(first).toEqual([2693262067, 11749833, 2265367787]);
  });

  it('spreads numbers over the whole range', () => {
    const values = new SeededNumbers(7).uniform(10_000, 0.5);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(-0.5);
    expect(Math.max(...values)).toBeLessThan(0.5);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(Math.abs(mean)).toBeLessThan(0.01);
  });

  it('shuffles without losing or doubling an element', () => {
    const list = Array.from({ length: 100 }, (_, index) => index);
    const shuffled = [...list];
    new SeededNumbers(3).shuffle(shuffled);
    expect(shuffled).not.toEqual(list);
    expect(shuffled.toSorted((a, b) => a - b)).toEqual(list);
  });
});
