import { describe, expect, it } from 'vitest';
import { ServiceTimeModel } from './service-time-model.js';

const SIZES = [1, 2, 4, 8, 16, 32, 3, 20, 11, 27];

/** Observes `count` batches of a law, with noise that only depends on the position. */
function observe(model: ServiceTimeModel, law: (size: number) => number, count: number, noise = 0): void {
  for (let index = 0; index < count; index++) {
    const size = SIZES[index % SIZES.length]!;
    model.observe(size, law(size) * (1 + noise * Math.sin(7 * index)));
  }
}

const affine = (size: number) => 5 + 0.2 * size;

describe('the service-time model', () => {
  it('knows nothing before the warm-up run is over', () => {
    const model = new ServiceTimeModel();
    expect(model.predict(8)).toBe(0);
    expect(model.standardErrorMs(8)).toBe(Infinity);
    model.observe(1, 5000);
    expect(model.samples).toBe(0);
    expect(model.predict(8)).toBe(0);
  });

  it('learns an affine law', () => {
    const model = new ServiceTimeModel();
    observe(model, affine, 30);
    expect(model.predict(1)).toBeCloseTo(5.2, 2);
    expect(model.predict(32)).toBeCloseTo(11.4, 2);
  });

  it('BC-065 leaves a cold start of 5 s out, also one of four lanes', () => {
    const model = new ServiceTimeModel();
    for (let lane = 0; lane < 4; lane++) model.observe(4, 5000);
    observe(model, () => 10, 20);
    expect(model.predict(8)).toBeGreaterThan(9);
    expect(model.predict(8)).toBeLessThan(12);
  });

  it('BC-067 is hardly moved by one outlier of 200 ms or of 5 s', () => {
    for (const outlierMs of [200, 5000]) {
      const model = new ServiceTimeModel();
      observe(model, affine, 60, 0.05);
      const before = model.predict(16);
      model.observe(16, outlierMs);
      expect(Math.abs(model.predict(16) - before)).toBeLessThan(0.02 * before);
      observe(model, affine, 20, 0.05);
      expect(Math.abs(model.predict(16) - before)).toBeLessThan(0.02 * before);
    }
  });

  it('follows a lasting change of speed within ten batches, in both directions', () => {
    for (const factor of [4, 0.25]) {
      const model = new ServiceTimeModel();
      observe(model, affine, 60, 0.02);
      observe(model, (size) => factor * affine(size), 10, 0.02);
      expect(model.predict(16) / (factor * affine(16))).toBeGreaterThan(0.85);
      expect(model.predict(16) / (factor * affine(16))).toBeLessThan(1.15);
    }
  });

  it('never predicts below 0 and never falls in the size', () => {
    const falling = new ServiceTimeModel();
    observe(falling, (size) => 40 - size, 60);
    const throughOrigin = new ServiceTimeModel();
    observe(throughOrigin, (size) => Math.max(0.01, 2 * size - 10), 60);
    for (const model of [falling, throughOrigin]) {
      expect(model.predict(0)).toBeGreaterThanOrEqual(0);
      for (let size = 1; size < 64; size++) {
        expect(model.predict(size + 1)).toBeGreaterThanOrEqual(model.predict(size));
      }
    }
  });

  it('promises no fast small batch while all sizes are alike, and learns from the first that is not', () => {
    const model = new ServiceTimeModel();
    for (let index = 0; index < 40; index++) model.observe(8, 16);
    expect(model.predict(8)).toBeCloseTo(16, 6);
    expect(model.predict(1)).toBeCloseTo(16, 6);
    model.observe(1, 2);
    for (let index = 0; index < 10; index++) model.observe(8, 16);
    expect(model.predict(1)).toBeLessThan(4);
  });

  it('keeps the slope through a thousand batches of one size', () => {
    const model = new ServiceTimeModel();
    observe(model, affine, 40, 0.02);
    for (let index = 0; index < 1000; index++) model.observe(32, affine(32) * (1 + 0.02 * Math.sin(index)));
    expect(model.predict(1)).toBeGreaterThan(4.5);
    expect(model.predict(1)).toBeLessThan(6);
  });

  it('is surer with more observations, and less sure away from them', () => {
    const model = new ServiceTimeModel();
    observe(model, affine, 10, 0.1);
    const early = model.standardErrorMs(10);
    observe(model, affine, 60, 0.1);
    expect(model.standardErrorMs(10)).toBeLessThan(early);
    expect(model.standardErrorMs(64)).toBeGreaterThan(model.standardErrorMs(10));
    expect(model.deviationMs).toBeGreaterThan(0.2);
    expect(model.deviationMs).toBeLessThan(1.5);
  });

  it('ignores what is no time', () => {
    const model = new ServiceTimeModel();
    observe(model, affine, 20);
    for (const runMs of [NaN, -1]) model.observe(4, runMs);
    expect(model.predict(10)).toBeCloseTo(7, 2);
  });
});
