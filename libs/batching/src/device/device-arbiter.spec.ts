import { describe, expect, it } from 'vitest';
import { GENEROUS, outcomes } from '../../test/batcher-fixture.js';
import { TimedLane } from '../../test/timed-lane.js';
import { VirtualClock } from '../clock/virtual-clock.js';
import { DynamicBatcher } from '../dynamic-batcher.js';
import { DeviceArbiter } from './device-arbiter.js';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Models that share one device, which runs one batch at a time. */
function shareOneDevice(names: readonly string[], runMs: (size: number) => number) {
  const clock = new VirtualClock();
  const arbiter = new DeviceArbiter(1);
  const order: string[] = [];
  const batchers = names.map((name) => {
    const batcher = new DynamicBatcher<number, number>({ ...GENEROUS, maxBatchSize: 4 }, clock, {}, arbiter);
    const run = (batch: readonly number[]) => {
      order.push(`${name}×${batch.length}`);
      return batch;
    };
    batcher.addLane(new TimedLane<number, number>(clock, run, runMs));
    return batcher;
  });
  return { clock, order, batchers };
}

describe('models that share a device', () => {
  it('run one batch at a time between them, and none is forgotten', async () => {
    const { clock, order, batchers } = shareOneDevice(['a', 'b', 'c'], () => 10);
    const results = outcomes(batchers.flatMap((batcher) => range(6).map((n) => batcher.submit(n))));
    await clock.advance(1000);
    expect(await results).toEqual(batchers.flatMap(() => range(6)));
    expect(order).toHaveLength(6);
    expect(clock.now()).toBe(1000);
  });

  it('serve the longest queue first while nobody is pressed for time', async () => {
    const { clock, order, batchers } = shareOneDevice(['first', 'short', 'long'], () => 10);
    const results = [batchers[0]!.submit(0)];
    await clock.advance(1);
    results.push(batchers[1]!.submit(0), ...range(4).map((n) => batchers[2]!.submit(n)));
    await clock.advance(1000);
    await Promise.all(results);
    expect(order).toEqual(['first×1', 'long×4', 'short×1']);
  });

  it('serve first whoever could not wait for another batch', async () => {
    const { clock, order, batchers } = shareOneDevice(['first', 'urgent', 'long'], () => 10);
    // What a batch takes has to be known before anything can be called urgent.
    for (const _ of range(30)) {
      await Promise.all([...batchers.map((batcher) => batcher.submit(0)), clock.advance(30)]);
    }
    order.length = 0;
    const results = [batchers[0]!.submit(0)];
    await clock.advance(1);
    results.push(...range(4).map((n) => batchers[2]!.submit(n)), batchers[1]!.submit(0, { timeoutMs: 25 }));
    await clock.advance(1000);
    await Promise.all(results);
    expect(order).toEqual(['first×1', 'urgent×1', 'long×4']);
  });
});
