import { describe, expect, it } from 'vitest';
import { createBatcher, outcomes } from '../../test/batcher-fixture.js';
import { TimedLane } from '../../test/timed-lane.js';
import type { BatcherOptions } from '../batcher-options.js';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const echo = (batch: readonly number[]) => batch;
const law = (size: number) => 1 + 4 * size;

/** A batcher with `lanes`, whose runs take what `runMs` says of the size and of how many have run before. */
function serve(
  options: Partial<BatcherOptions>,
  lanes: number,
  runMs: (size: number, run: number) => number = law,
) {
  const { clock, batcher } = createBatcher(options);
  let runs = 0;
  for (const id of range(lanes)) {
    batcher.addLane(new TimedLane<number, number>(clock, echo, (size) => runMs(size, runs++), id));
  }
  /** Sends `count` items at once, `times` times; returns their latencies and the limit after each burst. */
  const bursts = async (times: number, count: number, everyMs: number) => {
    const latencies: number[] = [];
    const limits: number[] = [];
    for (const _ of range(times)) {
      const arrival = clock.now();
      for (const n of range(count)) {
        batcher.submit(n).then(
          () => latencies.push(clock.now() - arrival),
          () => latencies.push(Infinity),
        );
      }
      await clock.advance(everyMs);
      limits.push(batcher.batchLimit);
    }
    return { latencies: latencies.toSorted((a, b) => a - b), limits };
  };
  return { batcher, clock, bursts };
}

const p95 = (sorted: readonly number[]) => sorted[Math.ceil(0.95 * sorted.length) - 1]!;

describe('the batch limit of a batcher with a target', () => {
  it('brings 95 % of the answers below it, end to end, where it was missed before', async () => {
    const { bursts } = serve({ targetLatencyMs: 60 }, 4);
    // One lane takes all 32 for 129 ms, while three stand by.
    expect(p95((await bursts(4, 32, 200)).latencies)).toBe(129);
    await bursts(400, 32, 200);
    expect(p95((await bursts(200, 32, 200)).latencies)).toBeLessThanOrEqual(60);
  });

  it('tries a smaller batch once where all were full, and takes it back where that is no faster', async () => {
    const flat = (_: number, run: number) => 100 + 2 * Math.sin(3.7 * run);
    const { bursts } = serve({ targetLatencyMs: 60 }, 1, flat);
    // More than one batch each time, so that all are full.
    const { limits } = await bursts(1200, 64, 350);
    expect(Math.min(...limits)).toBe(29);
    expect(limits.at(-1)).toBe(32);
  });

  it('moves by no more than a quarter of its middle when it has settled', async () => {
    const noisy = (size: number, run: number) => law(size) * (1 + 0.05 * Math.sin(3.7 * run));
    const { bursts } = serve({ targetLatencyMs: 60 }, 4, noisy);
    await bursts(400, 32, 200);
    const { limits } = await bursts(600, 32, 200);
    const [low, high] = [Math.min(...limits), Math.max(...limits)];
    const middle = (low + high) / 2;
    expect(low).toBeGreaterThanOrEqual(0.75 * middle);
    expect(high).toBeLessThanOrEqual(1.25 * middle);
  });

  it('is what it was within 20 batches of one run of 200 ms', async () => {
    let outlierAt = Infinity;
    const { bursts } = serve({ targetLatencyMs: 100, maxBatchSize: 8 }, 1, (size, run) =>
      run === outlierAt ? 200 : law(size),
    );
    expect(new Set((await bursts(100, 8, 250)).limits)).toEqual(new Set([8]));
    outlierAt = 100;
    const { limits, latencies } = await bursts(20, 8, 250);
    expect(latencies.at(-1)).toBe(200);
    expect(limits.at(-1)).toBe(8);
    expect(Math.min(...limits)).toBeGreaterThanOrEqual(7);
  });

  it('is not lowered by the first runs of a cold model', async () => {
    const { bursts } = serve({ targetLatencyMs: 100, maxBatchSize: 8 }, 1, (size, run) =>
      run < 3 ? 5000 : law(size),
    );
    const { limits } = await bursts(60, 8, 5100);
    expect(new Set(limits)).toEqual(new Set([8]));
  });

  it('BC-017 ends nothing: a target that no run can meet is missed, and everybody is answered', async () => {
    const { batcher, clock } = serve({ targetLatencyMs: 50, maxBatchSize: 1 }, 1, () => 200);
    for (const n of range(30)) {
      expect(() => batcher.assertAdmits()).not.toThrow();
      const result = outcomes([batcher.submit(n)]);
      await clock.advance(200);
      expect(await result).toEqual([n]);
    }
  });
});
