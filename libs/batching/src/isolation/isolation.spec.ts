import { ServingError } from '#model';
import { describe, expect, it } from 'vitest';
import { createBatcher, outcomes } from '../../test/batcher-fixture.js';
import { ManualLane } from '../../test/manual-lane.js';
import { TimedLane } from '../../test/timed-lane.js';
import type { BatcherOptions } from '../batcher-options.js';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/** Fails every batch that holds one of the poisonous inputs. */
function poisonedBy(poison: readonly number[], makeError: () => Error = () => new Error('bad input')) {
  return (batch: readonly number[]) => {
    if (batch.some((n) => poison.includes(n))) throw makeError();
    return batch;
  };
}

async function runBatch(
  size: number,
  run: (batch: readonly number[]) => unknown,
  options: Partial<BatcherOptions> = {},
) {
  const judgements: unknown[] = [];
  const { clock, batcher } = createBatcher(
    { maxBatchSize: size, ...options },
    { batchJudged: (failure) => judgements.push(failure?.code ?? 'ok') },
  );
  const lane = new TimedLane<number, number>(clock, run, () => 1);
  batcher.addLane(lane);
  const results = outcomes(range(size).map((n) => batcher.submit(n)));
  await clock.advance(10_000);
  return { results: await results, lane, judgements, batcher };
}

describe('isolation of bad items', () => {
  it.each([
    { size: 32, poison: [7] },
    { size: 32, poison: [0, 31] },
    { size: 64, poison: [3, 4, 40] },
    { size: 2, poison: [1] },
  ])('finds $poison.length bad of $size within 2k·log₂(n) + 1 runs', async ({ size, poison }) => {
    const { results, lane, judgements } = await runBatch(size, poisonedBy(poison));
    expect(results).toEqual(range(size).map((n) => (poison.includes(n) ? 'handler_failed' : n)));
    expect(lane.sizes.length).toBeLessThanOrEqual(2 * poison.length * Math.log2(size) + 1);
    expect(judgements).toEqual(['ok']);
  });

  it('stops at its budget when everything is bad, and calls it one failure of the model', async () => {
    const { results, lane, judgements } = await runBatch(32, () => {
      throw new Error('broken');
    });
    expect(new Set(results)).toEqual(new Set(['handler_failed']));
    expect(lane.sizes.length).toBeLessThanOrEqual(41);
    expect(judgements).toEqual(['handler_failed']);
  });

  it('does not run a batch again whose handler broke its contract', async () => {
    const { results, lane } = await runBatch(8, () => 'not an array');
    expect(new Set(results)).toEqual(new Set(['contract_violation']));
    expect(lane.sizes).toEqual([8]);
  });

  it('BC-046 does not split a batch that failed because something behind the model is down', async () => {
    const { results, lane } = await runBatch(32, poisonedBy(range(32), refused));
    expect(new Set(results)).toEqual(new Set(['handler_failed']));
    expect(lane.sizes).toEqual([32]);
  });

  it('halves the limit for good when memory runs out, and answers everyone', async () => {
    const { results, lane, batcher } = await runBatch(32, (batch) => {
      if (batch.length > 8) throw new Error('CUDA out of memory. Tried to allocate 2 GiB');
      return batch;
    });
    expect(results).toEqual(range(32));
    expect(batcher.batchLimit).toBe(8);
    expect(Math.max(...lane.sizes.slice(3))).toBeLessThanOrEqual(8);
  });

  it('halves as often as it takes, down to single items', async () => {
    const { results, batcher } = await runBatch(8, (batch) => {
      if (batch.length > 1) throw new Error('out of memory');
      return batch;
    });
    expect(results).toEqual(range(8));
    expect(batcher.batchLimit).toBe(1);
  });

  describe.each([{ poison: 2 }, { poison: undefined }])(
    'BC-043 when a worker dies (poison: $poison)',
    ({ poison }) => {
      /** Runs 0 … 3 on workers that `poison` kills, or on one that dies by itself. */
      async function run(idempotent: boolean) {
        const judgements: unknown[] = [];
        const { clock, batcher } = createBatcher(
          { idempotent },
          { batchJudged: (failure) => judgements.push(failure?.code ?? 'ok') },
        );
        const lane = new ManualLane<number, number>();
        batcher.addLane(lane);
        const results = outcomes(range(4).map((n) => batcher.submit(n)));
        await clock.advance(0);
        const die = () => {
          batcher.removeLane(lane, new ServingError('worker_died', 'it died'));
          batcher.addLane(lane);
        };
        die();
        await clock.advance(0);
        for (let runs = 0; lane.busy && runs < 20; runs++) {
          if (lane.inputs.at(-1)!.includes(poison!)) die();
          else lane.current.complete(lane.inputs.at(-1));
          await clock.advance(0);
        }
        return { results: await results, inputs: lane.inputs, judgements };
      }

      it('each item runs once more, alone, and only the one that kills again fails', async () => {
        const { results, inputs, judgements } = await run(true);
        expect(results).toEqual(range(4).map((n) => (n === poison ? 'worker_died' : n)));
        expect(inputs).toEqual([[0, 1, 2, 3], [0], [1], [2], [3]]);
        expect(judgements).toEqual(['ok']);
      });

      it('no item runs again where a second run would do harm', async () => {
        const { results, inputs, judgements } = await run(false);
        expect(results).toEqual(range(4).map(() => 'worker_died'));
        expect(inputs).toEqual([[0, 1, 2, 3]]);
        expect(judgements).toEqual(['worker_died']);
      });
    },
  );

  it('BC-043 an item that is alone with a worker that dies never runs again', async () => {
    const { clock, batcher } = createBatcher();
    const lane = new ManualLane<number, number>();
    batcher.addLane(lane);
    const result = outcomes([batcher.submit(1)]);
    await clock.advance(0);
    batcher.removeLane(lane, new ServingError('worker_died', 'it died'));
    batcher.addLane(lane);
    await clock.advance(0);
    expect([await result, lane.inputs]).toEqual([['worker_died'], [[1]]]);
  });

  it('an item that waits for its second run still ends by its deadline', async () => {
    const { clock, batcher } = createBatcher({ timeoutMs: 100 });
    const lane = new ManualLane<number, number>();
    batcher.addLane(lane);
    const results = outcomes([1, 2].map((n) => batcher.submit(n)));
    await clock.advance(10);
    batcher.removeLane(lane, new ServingError('worker_died', 'it died'));
    await clock.advance(89);
    expect(clock.pending).toBeGreaterThan(0);
    await clock.advance(1);
    expect(await results).toEqual(['deadline_exceeded', 'deadline_exceeded']);
  });

  it('runs no item again of a handler that failed, where a second run would do harm', async () => {
    const { results, lane } = await runBatch(4, poisonedBy([1]), { idempotent: false });
    expect(results).toEqual(range(4).map(() => 'handler_failed'));
    expect(lane.sizes).toEqual([4]);
  });

  it('BC-047 lets parts of failed batches and new traffic take turns', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 8 });
    const lane = new TimedLane<number, number>(clock, poisonedBy([1, 3, 5, 7]), () => 1);
    batcher.addLane(lane);
    void outcomes(range(8).map((n) => batcher.submit(n)));
    await clock.advance(0.5);
    const good = outcomes(range(80).map((n) => batcher.submit(100 + n)));
    await clock.advance(1000);
    expect(await good).toEqual(range(80).map((n) => 100 + n));
    const isGood = lane.inputs.map((batch) => batch[0]! >= 100);
    const untilLastGood = isGood.slice(0, isGood.lastIndexOf(true) + 1);
    expect(untilLastGood.filter(Boolean).length).toBeGreaterThanOrEqual(untilLastGood.length / 2 - 1);
  });

  it('BC-079 calls a batch that failed when all its clients had left no failure of the model', async () => {
    const judgements: unknown[] = [];
    const { clock, batcher } = createBatcher(
      { maxBatchSize: 2, timeoutMs: 50 },
      { batchJudged: (failure, id) => judgements.push([id, failure?.code]) },
    );
    const broken = () => {
      throw new Error('aborted, or broken');
    };
    batcher.addLane(new TimedLane<number, number>(clock, broken, () => 100));
    const client = new AbortController();
    void outcomes([1, 2].map((n) => batcher.submit(n, { signal: client.signal })));
    await clock.advance(1);
    client.abort();
    await clock.advance(200);
    // Nobody has left this one: it took too long, and then it failed.
    void outcomes([3, 4].map((n) => batcher.submit(n)));
    await clock.advance(200);
    expect(judgements).toEqual([
      [0, 'cancelled'],
      [1, 'handler_failed'],
    ]);
  });

  it('does not run items again whose client has left or whose deadline has passed', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 4 });
    const lane = new TimedLane<number, number>(clock, poisonedBy([0]), () => 10);
    batcher.addLane(lane);
    const client = new AbortController();
    const results = outcomes([
      batcher.submit(0),
      batcher.submit(1),
      batcher.submit(2, { signal: client.signal }),
      batcher.submit(3, { timeoutMs: 5 }),
    ]);
    await clock.advance(1);
    client.abort();
    await clock.advance(1000);
    expect(await results).toEqual(['handler_failed', 1, 'cancelled', 'deadline_exceeded']);
    expect(
      lane.inputs
        .slice(1)
        .flat()
        .toSorted((a, b) => a - b),
    ).toEqual([0, 1]);
  });
});
