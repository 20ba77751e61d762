import { describe, expect, it } from 'vitest';
import { createBatcher, outcomes } from '../../test/batcher-fixture.js';
import { ManualLane } from '../../test/manual-lane.js';
import { TimedLane } from '../../test/timed-lane.js';

const echo = (batch: readonly number[]) => batch;
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Notes at which clock time a promise settled, and how. */
function watch(promise: Promise<unknown>, now: () => number): Promise<{ at: number; code: unknown }> {
  return promise.then(
    () => ({ at: now(), code: 'ok' }),
    (error: { code: string }) => ({ at: now(), code: error.code }),
  );
}

describe('deadlines', () => {
  it('BC-055 ends a waiting item at its deadline by its own timer, while the only lane is busy', async () => {
    const { clock, batcher } = createBatcher();
    batcher.addLane(new ManualLane());
    void batcher.submit(1);
    await clock.advance(1);
    const late = watch(batcher.submit(2, { timeoutMs: 200 }), () => clock.now());
    await clock.advance(3000);
    expect(await late).toEqual({ at: 201, code: 'deadline_exceeded' });
    expect(batcher.queueSize).toBe(0);
  });

  it('ends a running item at its deadline, and tells the lane', async () => {
    const { clock, batcher } = createBatcher();
    const lane = new ManualLane<number, number>();
    batcher.addLane(lane);
    const results = [batcher.submit(1, { timeoutMs: 500 }), batcher.submit(2, { timeoutMs: 50 })];
    const late = watch(results[1]!, () => clock.now());
    await clock.advance(1);
    const departed: number[] = [];
    lane.current.onDeparture = (index) => departed.push(index);
    await clock.advance(100);
    lane.current.complete(lane.current.items.map(({ value }) => value));
    expect(await late).toEqual({ at: 50, code: 'deadline_exceeded' });
    expect(await results[0]).toBe(1);
    expect(departed).toEqual([0]);
  });

  it('BC-056 counts a deadline from arrival, and does not run what cannot end in time', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 1 });
    const lane = new TimedLane<number, number>(clock, echo, () => 200);
    batcher.addLane(lane);
    for (const n of range(20)) {
      await Promise.all([batcher.submit(n), clock.advance(200)]);
    }
    const results = outcomes(range(10).map((n) => batcher.submit(100 + n, { timeoutMs: 300 })));
    await clock.advance(5000);
    expect((await results).filter((result) => result !== 'deadline_exceeded')).toEqual([100]);
    expect(lane.inputs.flat().filter((n) => n >= 100)).toEqual([100]);
  });

  it('BC-058 an item that waited long still gets its whole run, if its deadline allows', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 1 });
    batcher.addLane(new TimedLane<number, number>(clock, echo, () => 1000));
    const results = outcomes([1, 2, 3].map((n) => batcher.submit(n, { timeoutMs: 4000 })));
    await clock.advance(10_000);
    expect(await results).toEqual([1, 2, 3]);
  });

  it('BC-064 never stops working when everything is late: a stale estimate is corrected', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 8, timeoutMs: 50 });
    let runMs = 100;
    const lane = new TimedLane<number, number>(clock, echo, () => runMs);
    batcher.addLane(lane);
    // Every run takes longer than any deadline allows; work goes on all the same, at a trickle.
    let ok = 0;
    const offer = async (seconds: number) => {
      for (let step = 0; step < seconds * 50; step++) {
        batcher.submit(step).then(
          () => ok++,
          () => undefined,
        );
        await clock.advance(20);
      }
    };
    await offer(30);
    const runsWhileSlow = lane.sizes.length;
    expect(runsWhileSlow).toBeGreaterThanOrEqual(25);
    runMs = 5;
    await offer(30);
    expect(ok).toBeGreaterThan(400);
  });

  it('BC-065 refuses nothing by estimate while the model is new, whatever its first run takes', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 4, timeoutMs: 30_000 });
    let runs = 0;
    const lane = new TimedLane<number, number>(clock, echo, () => (runs++ === 0 ? 5000 : 10));
    batcher.addLane(lane);
    const results = outcomes(range(20).map((n) => batcher.submit(n)));
    await clock.advance(30_000);
    expect(await results).toEqual(range(20));
  });
});

describe('cancellation', () => {
  it('BC-050 serves as before after a wave of clients that gave up', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 8 });
    const lane = new TimedLane<number, number>(clock, echo, (size) => 5 + size);
    batcher.addLane(lane);
    const phase = async () => {
      const before = lane.sizes.length;
      const results = outcomes(range(100).map((n) => batcher.submit(n)));
      await clock.advance(1000);
      return { results: await results, sizes: lane.sizes.slice(before) };
    };
    const first = await phase();
    const clients = range(100).map(() => new AbortController());
    const gone = outcomes(clients.map(({ signal }, n) => batcher.submit(n, { signal })));
    await clock.advance(1);
    for (const client of clients) client.abort();
    await clock.advance(1000);
    expect(new Set(await gone)).toEqual(new Set(['cancelled']));
    expect(await phase()).toEqual(first);
  });

  it('BC-052 runs next what is still wanted, not what was given up', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 1 });
    const lane = new TimedLane<number, number>(clock, echo, () => 1000);
    batcher.addLane(lane);
    const clients = range(20).map(() => new AbortController());
    const results = clients.map(({ signal }, n) => batcher.submit(n, { signal }));
    const last = watch(results[19]!, () => clock.now());
    void outcomes(results);
    await clock.advance(1);
    for (const client of clients.slice(0, 19)) client.abort();
    await clock.advance(30_000);
    expect(await last).toEqual({ at: 2000, code: 'ok' });
    expect(lane.inputs.flat()).toEqual([0, 19]);
  });

  it('BC-053 survives 2,000 clients that leave at once', async () => {
    const { clock, batcher } = createBatcher();
    batcher.addLane(new TimedLane<number, number>(clock, echo, () => 1));
    const client = new AbortController();
    const gone = outcomes(range(2000).map((n) => batcher.submit(n, { signal: client.signal })));
    client.abort();
    const wanted = batcher.submit(1);
    await clock.advance(100);
    expect(await wanted).toBe(1);
    expect(new Set(await gone)).toEqual(new Set(['cancelled']));
  });

  it('BC-059 one client that leaves a running batch does not disturb the others', async () => {
    const { clock, batcher } = createBatcher();
    batcher.addLane(new TimedLane<number, number>(clock, echo, () => 100));
    const client = new AbortController();
    const results = outcomes(
      range(4).map((n) => batcher.submit(n, n === 2 ? { signal: client.signal } : {})),
    );
    await clock.advance(1);
    client.abort();
    await clock.advance(1000);
    expect(await results).toEqual([0, 1, 'cancelled', 3]);
  });
});
