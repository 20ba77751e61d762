import { describe, expect, it } from 'vitest';
import { Kick } from './kick.js';

/** Ends batches of two items until a kick begins, and returns how many it took. */
function untilKick(kick: Kick, meanMs: number): number {
  for (let batches = 1; batches < 10_000; batches++) {
    kick.completed(2, 2 * meanMs, 1);
    if (kick.isOn) return batches;
  }
  throw new Error('no kick');
}

function kickedBatches(kick: Kick): number {
  let batches = 0;
  for (; kick.isOn; batches++) kick.completed(2, 2, 1);
  return batches;
}

describe('the kick', () => {
  it('comes early, lasts three batches, and twice as late each time it has not helped', () => {
    const kick = new Kick();
    expect(untilKick(kick, 10)).toBe(16);
    expect(kickedBatches(kick)).toBe(3);
    expect(untilKick(kick, 10)).toBe(1 + 16 + 32);
    kickedBatches(kick);
    expect(untilKick(kick, 10)).toBe(1 + 16 + 64);
  });

  it('comes again soon where it has helped', () => {
    const kick = new Kick();
    for (let round = 0; round < 4; round++) {
      untilKick(kick, 10);
      kickedBatches(kick);
    }
    expect(kick.pause).toBe(128);
    for (let batch = 0; batch < 17; batch++) kick.completed(2, 2 * 9, 1);
    expect(kick.pause).toBe(48);
  });

  it('costs nothing in the long run', () => {
    const kick = new Kick();
    let kicked = 0;
    for (let batch = 0; batch < 20_000; batch++) {
      kick.completed(2, 20, 1);
      if (kick.isOn) kicked++;
    }
    expect(kicked / 20_000).toBeLessThan(0.002);
    expect(kick.pause).toBeLessThanOrEqual(4096);
  });

  it('knows whether batches have been of different sizes', () => {
    const kick = new Kick();
    for (let batch = 0; batch < 100; batch++) kick.completed(4, 4, 1);
    expect(kick.hasSeenSizes).toBe(false);
    for (const size of [8, 4, 8]) kick.completed(size, size, 1);
    expect(kick.hasSeenSizes).toBe(true);
  });
});
