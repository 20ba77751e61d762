import { describe, expect, it } from 'vitest';
import { createBatcher, outcomes } from '../../test/batcher-fixture.js';
import { ManualLane } from '../../test/manual-lane.js';
import { TimedLane } from '../../test/timed-lane.js';
import type { BatcherOptions } from '../batcher-options.js';
import type { Lane } from './lane.js';

/** A lane whose worker can be given up. */
class GivenUpLane extends ManualLane<number, number> implements Lane<number, number> {
  isGivenUp = false;

  giveUp(): void {
    this.isGivenUp = true;
  }
}

function createWatched(options: Partial<BatcherOptions> = { runTimeoutMs: 1000 }) {
  const judgements: unknown[] = [];
  const { clock, batcher } = createBatcher(options, {
    batchJudged: (failure) => judgements.push(failure?.code ?? 'ok'),
  });
  const lanes = [new GivenUpLane(0), new GivenUpLane(1)] as const;
  for (const lane of lanes) batcher.addLane(lane);
  return { clock, batcher, lanes, judgements };
}

describe('a batch that runs too long', () => {
  it('fails with its items, which never run again, and its lane is given up', async () => {
    const { clock, batcher, lanes, judgements } = createWatched();
    const results = outcomes([1, 2].map((n) => batcher.submit(n)));
    await clock.advance(999);
    expect(lanes[0].busy).toBe(true);
    await clock.advance(1);
    expect(await results).toEqual(['run_timeout', 'run_timeout']);
    expect(lanes.map(({ isGivenUp }) => isGivenUp)).toEqual([true, false]);
    expect(judgements).toEqual(['run_timeout']);
    expect(batcher.laneCount).toBe(1);
    await clock.advance(60_000);
    expect(lanes[1].inputs).toEqual([]);
  });

  it('leaves its queue to the other lanes', async () => {
    const { clock, batcher, lanes } = createWatched();
    void outcomes([batcher.submit(1)]);
    await clock.advance(0);
    const others = outcomes([2, 3].map((n) => batcher.submit(n)));
    await clock.advance(0);
    lanes[1].current.complete([2, 3]);
    await clock.advance(5000);
    expect(await others).toEqual([2, 3]);
    const last = outcomes([batcher.submit(4)]);
    await clock.advance(0);
    lanes[1].current.complete([4]);
    expect(await last).toEqual([4]);
  });

  it('counts for nothing when it ends after all', async () => {
    const { clock, batcher, lanes } = createWatched();
    const result = outcomes([batcher.submit(1)]);
    await clock.advance(1000);
    lanes[0].current.complete([1]);
    expect(await result).toEqual(['run_timeout']);
    expect(batcher.laneCount).toBe(1);
  });

  it('frees a lane that can go on, such as one of an inline model', async () => {
    const { clock, batcher } = createBatcher<number, number>({ runTimeoutMs: 1000, maxBatchSize: 1 });
    const lane = new ManualLane<number, number>();
    batcher.addLane(lane);
    const results = outcomes([1, 2].map((n) => batcher.submit(n)));
    await clock.advance(1000);
    expect(lane.inputs).toEqual([[1], [2]]);
    lane.current.complete([2]);
    expect(await results).toEqual(['run_timeout', 2]);
  });

  it('leaves no timer behind when it ends in time', async () => {
    const { clock, batcher, lanes } = createWatched();
    const result = batcher.submit(1);
    await clock.advance(0);
    lanes[0].current.complete([1]);
    expect(await result).toBe(1);
    await clock.advance(0);
    expect(clock.pending).toBe(0);
  });
});

describe('a model that does not say how long a batch may run', () => {
  const TIMEOUT_MS = 500;

  /** Runs `batches` batches of one item that take `runMs`, then one that hangs. */
  async function hangAfter(batches: number, runMs: number) {
    const { clock, batcher } = createBatcher<number, number>({ timeoutMs: TIMEOUT_MS });
    let hangs = false;
    const lane = Object.assign(
      new TimedLane<number, number>(
        clock,
        (batch) => batch,
        () => (hangs ? 1_000_000 : runMs),
      ),
      { giveUp: () => undefined },
    );
    batcher.addLane(lane);
    for (let batch = 0; batch < batches; batch++) {
      const result = batcher.submit(batch);
      await clock.advance(runMs);
      await result;
    }
    hangs = true;
    void outcomes([batcher.submit(-1)]);
    const startedAt = clock.now();
    while (batcher.laneCount > 0 && clock.now() - startedAt < 100_000) await clock.advance(50);
    return { afterMs: clock.now() - startedAt, isGivenUp: batcher.laneCount === 0 };
  }

  it('is given the time in which its clients still wait', async () => {
    expect(await hangAfter(20, 10)).toEqual({ afterMs: TIMEOUT_MS, isGivenUp: true });
  });

  it('is given many times what it was seen to take', async () => {
    const { afterMs, isGivenUp } = await hangAfter(20, 200);
    expect(isGivenUp).toBe(true);
    expect(afterMs).toBeGreaterThanOrEqual(10 * 200);
    expect(afterMs).toBeLessThanOrEqual(40 * 200);
  });

  it('is given any time while too little is known of it', async () => {
    expect(await hangAfter(3, 10)).toMatchObject({ isGivenUp: false });
  });
});

describe('two workers, one of which hangs for good', () => {
  it('lose what it held, and then half of their throughput at most', async () => {
    const { clock, batcher } = createBatcher<number, number>({ maxBatchSize: 8, runTimeoutMs: 400 });
    const hung = new GivenUpLane(0);
    const well = new TimedLane<number, number>(
      clock,
      (batch) => batch,
      () => 10,
      1,
    );
    batcher.addLane(hung);
    batcher.addLane(well);
    const results = outcomes(Array.from({ length: 808 }, (_, n) => batcher.submit(n)));
    await clock.advance(1000);
    const failed = (await results).filter((result) => result === 'run_timeout');
    expect(failed).toHaveLength(8);
    // 800 items in batches of 8, 10 ms each, one after the other: the lane that is well never stood still.
    expect(well.sizes).toEqual(Array.from({ length: 100 }, () => 8));
  });
});
