import { describe, expect, it } from 'vitest';
import { createBatcher, outcomes } from '../../test/batcher-fixture.js';
import { ManualLane } from '../../test/manual-lane.js';
import { TimedLane } from '../../test/timed-lane.js';
import type { WindowPolicy } from './window-policy.js';

const echo = (batch: readonly number[]) => batch;

function broken(): never {
  throw new Error('a bug of the team');
}

describe("a window policy of a team's own", () => {
  it.each<[string, WindowPolicy]>([
    ['dispatchAt', { dispatchAt: broken }],
    ['arrived', { dispatchAt: ({ now }) => now, arrived: broken }],
    ['started', { dispatchAt: ({ now }) => now, started: broken }],
    ['completed', { dispatchAt: ({ now }) => now, completed: broken }],
  ])('P8 that throws in %s serves as eager does, and is heard of once', async (_, window) => {
    const errors: unknown[] = [];
    const { clock, batcher } = createBatcher({ window }, { windowFailed: (error) => errors.push(error) });
    batcher.addLane(new TimedLane<number, number>(clock, echo, () => 5));
    const results = [batcher.submit(1), batcher.submit(2)];
    await clock.advance(5);
    results.push(batcher.submit(3));
    await clock.advance(5);
    expect(await outcomes(results)).toEqual([1, 2, 3]);
    expect(errors).toEqual([new Error('a bug of the team')]);
  });

  it('that gives no time at all serves as eager does', async () => {
    const { clock, batcher } = createBatcher({ window: { dispatchAt: () => NaN } });
    const lane = new ManualLane<number, number>();
    batcher.addLane(lane);
    void batcher.submit(1);
    await clock.advance(0);
    expect(lane.sizes).toEqual([1]);
  });

  it('that would wait for ever holds no longer than maxWaitMs from when a lane is free and an item waits', async () => {
    const { clock, batcher } = createBatcher({ maxWaitMs: 20, window: { dispatchAt: () => Infinity } });
    const lane = new ManualLane<number, number>();
    batcher.addLane(lane);
    await clock.advance(100);
    void batcher.submit(1);
    await clock.advance(19);
    expect(lane.sizes).toEqual([]);
    await clock.advance(1);
    expect(lane.sizes).toEqual([1]);
    // This one waits behind the running batch, which is no choice and is not counted.
    void batcher.submit(2);
    await clock.advance(50);
    lane.current.complete([1]);
    await clock.advance(19);
    expect(lane.sizes).toEqual([1]);
    await clock.advance(1);
    expect(lane.sizes).toEqual([1, 1]);
  });

  it('that would wait for ever does not outlast the slack of the tightest deadline', async () => {
    const { clock, batcher } = createBatcher({ maxWaitMs: 500, window: { dispatchAt: () => Infinity } });
    const lane = new TimedLane<number, number>(clock, echo, () => 10);
    batcher.addLane(lane);
    // What a batch takes has to be known first.
    for (let run = 0; run < 10; run++) await Promise.all([batcher.submit(run), clock.advance(510)]);
    const results = [batcher.submit(100), batcher.submit(101, { timeoutMs: 100 })];
    await clock.advance(100);
    expect(await outcomes(results)).toEqual([100, 101]);
  });
});
