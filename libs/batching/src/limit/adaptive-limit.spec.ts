import { describe, expect, it } from 'vitest';
import { AdaptiveLimit, type LimitTarget } from './adaptive-limit.js';

const law = (base: number, slope: number) => (size: number) => base + slope * size;
const gpu = law(4, 1);

interface Replay {
  /** Items that wait when a batch is formed. */
  readonly offered?: (batch: number) => number;
  readonly runMs?: (size: number, batch: number) => number;
  readonly waitMs?: (batch: number) => number;
  readonly model?: (size: number) => number;
  readonly knowsSizes?: boolean;
}

/** Runs `batches` batches as the batcher would, and records the limit after each. */
function replay(limit: AdaptiveLimit, batches: number, trace: Replay = {}): number[] {
  const { offered = () => 1000, model = gpu, runMs = model, waitMs = () => 0, knowsSizes = true } = trace;
  return Array.from({ length: batches }, (_, batch) => {
    const size = Math.min(limit.limit, offered(batch));
    limit.observe({
      size,
      runMs: runMs(size, batch),
      waitMs: waitMs(batch),
      serviceTimeMs: model,
      knowsSizes,
    });
    return limit.limit;
  });
}

const create = (target: Partial<LimitTarget> = {}) =>
  new AdaptiveLimit({ maximum: 32, targetLatencyMs: 24, ...target });
const noisy = (size: number, batch: number) => gpu(size) * (1 + 0.05 * Math.sin(3.7 * batch));

describe('the adaptive limit', () => {
  it('stays at the maximum without a target, whatever runs', () => {
    const limit = create({ targetLatencyMs: Infinity });
    expect(new Set(replay(limit, 200, { runMs: () => 1e4 }))).toEqual(new Set([32]));
  });

  it('BC-067 steady: converges to the budget and does not oscillate wider than 25 %', () => {
    const limit = create();
    replay(limit, 1000, { runMs: noisy });
    const steady = replay(limit, 3000, { runMs: noisy });
    const [low, high] = [Math.min(...steady), Math.max(...steady)];
    // 4 + b ≤ 24 with 5 % noise.
    expect(high).toBeLessThanOrEqual(20);
    expect(low).toBeGreaterThanOrEqual(0.75 * ((low + high) / 2));
    expect(high).toBeLessThanOrEqual(1.25 * ((low + high) / 2));
    expect(low).toBeGreaterThanOrEqual(14);
  });

  it('BC-067 one 5 s outlier: the limit is what it was within 20 batches', () => {
    const limit = create();
    replay(limit, 1000, { runMs: noisy });
    const before = limit.limit;
    const after = replay(limit, 21, { runMs: (size, batch) => (batch === 0 ? 5000 : noisy(size, batch)) });
    expect(after.at(-1)!).toBeGreaterThanOrEqual(before);
    expect(Math.min(...after)).toBeGreaterThanOrEqual(0.85 * before);
  });

  it('BC-067 cold start: the first runs do not count', () => {
    const limit = create();
    const cold = { offered: () => 4, runMs: (size: number, batch: number) => (batch < 4 ? 5000 : gpu(size)) };
    expect(Math.min(...replay(limit, 200, cold))).toBe(32);
  });

  it('BC-067 burst: a full queue in bursts ends where a steady one does', () => {
    const limit = create();
    replay(limit, 3000, { offered: (batch) => (batch % 50 < 25 ? 1000 : 2), runMs: noisy });
    expect(limit.limit).toBeGreaterThanOrEqual(14);
    expect(limit.limit).toBeLessThanOrEqual(22);
  });

  it('BC-067 idle gap: small batches in time neither raise nor lower the limit', () => {
    const limit = create();
    replay(limit, 1000, { runMs: noisy });
    const before = limit.limit;
    const idle = replay(limit, 500, { offered: () => 1, runMs: noisy });
    // The full batches before the gap may still be good for one step.
    expect(Math.min(...idle)).toBe(before);
    expect(Math.max(...idle)).toBeLessThanOrEqual(before + 1);
  });

  it('BC-067 mixed costs: steers on the 95th percentile, not on the mean', () => {
    const limit = create();
    const costly = (size: number, batch: number) => gpu(size) * (batch % 8 === 0 ? 2 : 1);
    replay(limit, 2000, { runMs: costly });
    expect(2 * gpu(limit.limit)).toBeLessThanOrEqual(24 * 1.15);
    expect(limit.limit).toBeGreaterThan(4);
  });

  it('gives execution what queueing leaves, but at least half of the target', () => {
    const [short, long] = [create(), create()];
    replay(short, 2000, { waitMs: () => 6 });
    replay(long, 2000, { waitMs: () => 500 });
    expect(gpu(short.limit)).toBeLessThanOrEqual(18);
    expect(gpu(short.limit)).toBeGreaterThan(13);
    expect(gpu(long.limit)).toBeLessThanOrEqual(12);
    expect(long.limit).toBeGreaterThan(4);
  });

  it('does not shrink where a smaller batch would not be faster', () => {
    const limit = create();
    expect(new Set(replay(limit, 500, { model: law(40, 0.02) }))).toEqual(new Set([32]));
  });

  it('BC-064 BC-017 does not shrink for a target that not even one item could meet, and never goes below 1', () => {
    const hopeless = create({ maximum: 32, targetLatencyMs: 3 });
    expect(new Set(replay(hopeless, 500))).toEqual(new Set([32]));
    const single = create({ maximum: 1, targetLatencyMs: 50 });
    expect(new Set(replay(single, 500, { runMs: () => 200, model: () => 200 }))).toEqual(new Set([1]));
    const unknown = create();
    expect(Math.min(...replay(unknown, 3000, { model: () => 0, runMs: () => 1e4 }))).toBe(1);
  });

  it('clears its window at each change: 20 batches lie between two', () => {
    const limits = replay(create(), 400, { runMs: () => 1e4 });
    const changes = limits.flatMap((value, batch) =>
      batch > 0 && value !== limits[batch - 1] ? [batch] : [],
    );
    expect(changes.length).toBeGreaterThan(5);
    const gaps = changes.slice(1).map((batch, index) => batch - changes[index]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(20);
  });

  it('follows a new target and a new maximum', () => {
    const limit = create();
    replay(limit, 1000);
    limit.configure({ maximum: 32, targetLatencyMs: 100 });
    replay(limit, 1000);
    expect(limit.limit).toBe(32);
    limit.configure({ maximum: 8, targetLatencyMs: 100 });
    expect(limit.limit).toBe(8);
    limit.configure({ maximum: 16, targetLatencyMs: 100 });
    expect(limit.limit).toBe(16);
  });
});
