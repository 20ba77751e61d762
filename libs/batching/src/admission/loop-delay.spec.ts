import { describe, expect, it } from 'vitest';
import { LoopDelay } from './loop-delay.js';

describe('the delay of the event loop', () => {
  it('is the longest seen of late', () => {
    const delay = new LoopDelay();
    expect(delay.expectedMs(1000)).toBe(0);
    delay.observe(5, 1000);
    delay.observe(40, 1010);
    delay.observe(3, 1020);
    expect(delay.expectedMs(1020)).toBeGreaterThan(35);
  });

  it('is forgotten where nothing comes that would show it', () => {
    const delay = new LoopDelay();
    delay.observe(40, 0);
    expect(delay.expectedMs(1000)).toBe(10);
    expect(delay.expectedMs(10_000)).toBeLessThan(0.1);
  });
});
