import { describe, expect, it } from 'vitest';
import { createBatcher, outcomes } from '../../test/batcher-fixture.js';
import { TimedLane } from '../../test/timed-lane.js';
import { ServiceTimes } from './service-times.js';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Devices that take so many milliseconds for a batch, whatever its size. */
function learned(runMs: Readonly<Record<string, number>>, batches = 40): ServiceTimes {
  const times = new ServiceTimes();
  for (const _ of range(batches))
    for (const [device, ms] of Object.entries(runMs)) times.observe(device, 4, ms);
  return times;
}

const lanes = (...devices: string[]) => devices.map((device) => ({ device }));

describe('the service times of one model version', () => {
  it('are learned on each device apart', () => {
    const times = learned({ cpu: 80, 'cuda:0': 10 });
    expect(times.on('cpu').expectedMs(4)).toBeCloseTo(80, 3);
    expect(times.on('cuda:0').expectedMs(4)).toBeCloseTo(10, 3);
    expect(times.fastestSafeMs(4)).toBeCloseTo(times.on('cuda:0').safeMs(4), 6);
  });

  it('are those of another device while too little is known of one', () => {
    const times = learned({ 'cuda:0': 10 });
    expect(times.on('cuda:1').expectedMs(4)).toBeCloseTo(10, 3);
    // One run to warm up, and eight to rely on.
    for (const _ of range(8)) times.observe('cuda:1', 4, 30);
    expect(times.on('cuda:1').expectedMs(4)).toBeCloseTo(10, 3);
    times.observe('cuda:1', 4, 30);
    expect(times.on('cuda:1').expectedMs(4)).toBeCloseTo(30, 3);
  });

  it('have a mean by which several lanes get the work done that they get done together', () => {
    const times = learned({ cpu: 80, 'cuda:0': 10 }, 100);
    const [cpuMs, gpuMs] = [times.on('cpu').safeMs(4), times.on('cuda:0').safeMs(4)];
    const meanMs = times.meanSafeMs(lanes('cpu', 'cuda:0'), 2, 4);
    expect(2 / meanMs).toBeCloseTo(1 / cpuMs + 1 / gpuMs, 6);
    expect(times.meanSafeMs(lanes('cpu', 'cpu'), 2, 4)).toBeCloseTo(cpuMs, 6);
  });

  it('are 0, unknown, before enough has run', () => {
    expect(new ServiceTimes().meanSafeMs(lanes('cpu'), 1, 4)).toBe(0);
    const times = learned({ cpu: 80, 'cuda:0': 10 }, 5);
    expect([times.meanSafeMs(lanes('cpu', 'cuda:0'), 2, 4), times.fastestSafeMs(4)]).toEqual([0, 0]);
  });

  it('let an item wait for the device that can still answer it in time', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 1 });
    const echo = (batch: readonly number[]) => batch;
    const slow = new TimedLane<number, number>(clock, echo, () => 200, 0, 'cpu');
    const fast = new TimedLane<number, number>(clock, echo, () => 20, 1, 'cuda:0');
    for (const lane of [slow, fast]) batcher.addLane(lane);
    // Two at a time, so that both lanes learn.
    for (const n of range(40)) {
      const pair = outcomes([batcher.submit(n), batcher.submit(n)]);
      await clock.advance(300);
      await pair;
    }
    // Both are busy; the fast one is free in time for the item that is in a hurry.
    void outcomes([batcher.submit(1), batcher.submit(2)]);
    await clock.advance(1);
    const urgent = outcomes([batcher.submit(3, { timeoutMs: 60 })]);
    await clock.advance(300);
    expect(await urgent).toEqual([3]);
  });
});
