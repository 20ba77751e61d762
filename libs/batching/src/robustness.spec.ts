import { ServingError } from '#model';
import { describe, expect, it } from 'vitest';
import { createBatcher, outcomes } from '../test/batcher-fixture.js';
import { runForHalfAnHour } from '../test/long-run.js';
import { TimedLane } from '../test/timed-lane.js';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('results find their way', () => {
  it('BC-024 P2 to their own caller, over lanes of different speed and repeated runs', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 8 });
    const run = (batch: readonly number[]) => {
      if (batch.some((n) => n % 17 === 0)) throw new Error('bad input');
      return batch.map((n) => -n);
    };
    for (const id of range(4)) {
      batcher.addLane(new TimedLane<number, number>(clock, run, (size) => 1 + 13 * id + (size % 5), id));
    }
    const results = outcomes(range(400).map((n) => batcher.submit(n)));
    await clock.advance(20_000);
    expect(await results).toEqual(range(400).map((n) => (n % 17 === 0 ? 'handler_failed' : -n + 0)));
  });

  it('BC-032 without any padding: a handler gets inputs of unequal length as they are', async () => {
    const { clock, batcher } = createBatcher<readonly number[], number>();
    const lane = new TimedLane<readonly number[], number>(
      clock,
      (batch) => batch.map(({ length }) => length),
      () => 1,
    );
    batcher.addLane(lane);
    const results = outcomes(
      [18, 3].map((length) => batcher.submit(range(length), { signature: 'up to 32' })),
    );
    await clock.advance(100);
    expect(await results).toEqual([18, 3]);
    expect(lane.inputs[0]).toEqual([range(18), range(3)]);
  });
});

describe('floods and long runs', () => {
  it('BC-073 P5 admits no more than may wait, and answers the rest of 20,000 at once', async () => {
    const { clock, batcher } = createBatcher({ maxQueueSize: 128 });
    batcher.addLane(
      new TimedLane<number, number>(
        clock,
        (batch) => batch,
        () => 10,
      ),
    );
    const results = outcomes(range(20_000).map((n) => batcher.submit(n)));
    expect(batcher.queueSize).toBe(128);
    await clock.advance(1000);
    const ended = await results;
    expect(ended.slice(0, 128)).toEqual(range(128));
    expect(new Set(ended.slice(128))).toEqual(new Set(['queue_full']));
  });

  it('BC-125 shows no trend over half an hour with departures and expiries, and uses every lane', () => {
    const { minutes, runs, clock, left } = runForHalfAnHour();
    const [second, last] = [minutes[1]!, minutes.at(-1)!];
    expect(Math.abs(last.ok - second.ok) / second.ok).toBeLessThan(0.02);
    expect(last.latencyMs / last.ok / (second.latencyMs / second.ok)).toBeLessThan(1.05);
    expect(Math.min(...runs) / Math.max(...runs)).toBeGreaterThan(0.9);
    expect([left, clock.pending]).toEqual([0, 0]);
  }, 30_000);

  it('BC-044 replaces a worker that runs out of memory even for a single item', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 8 });
    let recycled = 0;
    const broken = new TimedLane<number, number>(
      clock,
      () => {
        throw new Error('CUDA out of memory');
      },
      () => 1,
    );
    const lane = Object.assign(broken, {
      recycle: () => {
        recycled++;
        // As a pool does once the new worker is ready.
        clock.setTimer(500, () =>
          batcher.addLane(
            new TimedLane<number, number>(
              clock,
              (batch) => batch,
              () => 1,
              1,
            ),
          ),
        );
      },
    });
    batcher.addLane(lane);
    const first = outcomes(range(8).map((n) => batcher.submit(n)));
    await clock.advance(100);
    expect([batcher.batchLimit, recycled]).toEqual([1, 1]);
    await expect(batcher.submit(9)).rejects.toBeInstanceOf(ServingError);
    await clock.advance(1000);
    const later = outcomes([10, 11].map((n) => batcher.submit(n)));
    await clock.advance(1000);
    // Only the item that showed it is lost; the others ran on the new worker.
    expect(await first).toEqual(['handler_failed', 1, 2, 3, 4, 5, 6, 7]);
    expect(await later).toEqual([10, 11]);
  });
});
