import { describe, expect, it } from 'vitest';
import { createBatcher, outcomes } from '../test/batcher-fixture.js';
import { ManualLane } from '../test/manual-lane.js';
import { TimedLane } from '../test/timed-lane.js';
import { FixedWindow } from './window/fixed-window.js';

const double = (batch: readonly number[]) => batch.map((n) => 2 * n);
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('forming batches', () => {
  it('BC-001 answers a burst of 9 at a limit of 4, with silence behind it', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 4 });
    const lane = new TimedLane<number, number>(clock, double, () => 50);
    batcher.addLane(lane);
    const results = outcomes(range(9).map((n) => batcher.submit(n)));
    await clock.advance(1000);
    expect(await results).toEqual(range(9).map((n) => 2 * n));
    expect(lane.sizes).toEqual([4, 4, 1]);
  });

  it('BC-002 opens a fixed window when the oldest item arrives, also after an idle spell', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 8, maxWaitMs: 50, window: new FixedWindow() });
    const lane = new TimedLane<number, number>(clock, double, () => 5);
    batcher.addLane(lane);
    void batcher.submit(0);
    await clock.advance(1000);
    void batcher.submit(1);
    await clock.advance(5);
    void batcher.submit(2);
    await clock.advance(1000);
    expect(lane.inputs).toEqual([[0], [1, 2]]);
  });

  it('BC-003 keeps a fixed window open for its whole time while items keep arriving', async () => {
    const { clock, batcher } = createBatcher({ maxWaitMs: 100, window: new FixedWindow() });
    const lane = new TimedLane<number, number>(clock, double, () => 5);
    batcher.addLane(lane);
    for (let n = 0; n < 20; n++) {
      void batcher.submit(n);
      await clock.advance(10);
    }
    await clock.advance(1000);
    expect(lane.sizes).toEqual([10, 10]);
  });

  it('BC-004 lets a batch grow until a lane really takes it', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 8, maxWaitMs: 0 });
    const lane = new TimedLane<number, number>(clock, double, () => 200);
    batcher.addLane(lane);
    void batcher.submit(0);
    await clock.advance(20);
    for (const n of [1, 2, 3, 4]) void batcher.submit(n);
    await clock.advance(1000);
    expect(lane.sizes).toEqual([1, 4]);
  });

  it('puts what arrives in one turn of the event loop into one batch', async () => {
    const { clock, batcher } = createBatcher();
    const lane = new ManualLane<number, number>();
    batcher.addLane(lane);
    for (const n of range(5)) void batcher.submit(n);
    await clock.advance(0);
    expect(lane.sizes).toEqual([5]);
  });

  it('starts a full batch before the answers of the one before it are written', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 2 });
    const lane = new ManualLane<number, number>();
    batcher.addLane(lane);
    const startedAtAnswer: number[] = [];
    for (const n of range(4)) {
      void batcher.submit(n).then(() => startedAtAnswer.push(lane.sizes.length));
    }
    await clock.advance(0);
    lane.current.complete([0, 1]);
    await clock.advance(0);
    expect(startedAtAnswer).toEqual([2, 2]);
  });

  it('does not pile batches up on a lane that ends each within its start', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 1, maxQueueSize: 20_000 });
    batcher.addLane({ id: 0, device: 'cpu', start: (batch) => batch.complete([0]) });
    const results = outcomes(range(20_000).map((n) => batcher.submit(n)));
    await clock.advance(1000);
    expect(new Set(await results)).toEqual(new Set([0]));
  });

  it('BC-014 does not count withdrawn items to the limit', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 4, maxWaitMs: 100, window: new FixedWindow() });
    const lane = new ManualLane<number, number>();
    batcher.addLane(lane);
    const client = new AbortController();
    const gone = outcomes([1, 2, 3].map((n) => batcher.submit(n, { signal: client.signal })));
    await clock.advance(1);
    client.abort();
    for (const n of [4, 5, 6]) void batcher.submit(n);
    await clock.advance(1);
    expect(lane.sizes).toEqual([]);
    void batcher.submit(7);
    await clock.advance(1);
    expect(lane.inputs).toEqual([[4, 5, 6, 7]]);
    expect(await gone).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('P3 keeps items of different signatures apart', async () => {
    const { clock, batcher } = createBatcher();
    const lane = new TimedLane<number, number>(clock, double, () => 1);
    batcher.addLane(lane);
    for (const n of range(10)) void batcher.submit(n, { signature: n % 2 === 0 ? 'even' : 'odd' });
    await clock.advance(100);
    expect(lane.inputs).toEqual([
      [0, 2, 4, 6, 8],
      [1, 3, 5, 7, 9],
    ]);
  });

  it('cuts a batch that is not full down to a preferred size', async () => {
    const { clock, batcher } = createBatcher({ preferredBatchSizes: [4, 8] });
    const lane = new TimedLane<number, number>(clock, double, () => 1);
    batcher.addLane(lane);
    for (const n of range(11)) void batcher.submit(n);
    await clock.advance(100);
    expect(lane.sizes).toEqual([8, 3]);
  });

  it('BC-076 closes a batch at the cost limit', async () => {
    const { clock, batcher } = createBatcher({ maxBatchCost: 10 });
    const lane = new TimedLane<number, number>(clock, double, () => 1);
    batcher.addLane(lane);
    for (const cost of [4, 4, 4, 10, 1]) void batcher.submit(cost, { cost });
    await clock.advance(100);
    expect(lane.inputs).toEqual([[4, 4], [4], [10], [1]]);
  });

  it('BC-010 refuses an item that costs more than a whole batch may, and goes on', async () => {
    const { clock, batcher } = createBatcher({ maxBatchCost: 1000 });
    batcher.addLane(new TimedLane<number, number>(clock, double, () => 1));
    const results = outcomes([batcher.submit(1, { cost: 1200 }), batcher.submit(2, { cost: 10 })]);
    await clock.advance(100);
    expect(await results).toEqual(['cost_too_large', 4]);
  });
});

describe('order', () => {
  it('takes the earliest deadline first', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 2 });
    const lane = new TimedLane<number, number>(clock, double, () => 1);
    batcher.addLane(lane);
    for (const timeoutMs of [500, 100, 300, 200]) void batcher.submit(timeoutMs, { timeoutMs });
    await clock.advance(100);
    expect(lane.inputs).toEqual([
      [100, 200],
      [300, 500],
    ]);
  });

  it('takes a higher priority before an earlier deadline', async () => {
    const { clock, batcher } = createBatcher({ maxBatchSize: 1 });
    const lane = new TimedLane<number, number>(clock, double, () => 1);
    batcher.addLane(lane);
    void batcher.submit(5, { timeoutMs: 100 });
    void batcher.submit(1, { timeoutMs: 900, priority: 1 });
    void batcher.submit(0, { timeoutMs: 900, priority: 0 });
    void batcher.submit(9, { timeoutMs: 50, priority: 9 });
    await clock.advance(100);
    expect(lane.inputs.flat()).toEqual([1, 5, 0, 9]);
  });

  it('lets no priority starve: an item that has waited long enough goes first', async () => {
    const { clock, batcher } = createBatcher<string>({ maxBatchSize: 1, starvationMs: 500 });
    const lane = new TimedLane<string, number>(
      clock,
      () => [0],
      () => 10,
    );
    batcher.addLane(lane);
    void batcher.submit('first', { priority: 1 });
    await clock.advance(1);
    void batcher.submit('low', { priority: 9 });
    // More high-priority work than the lane can do, without end.
    for (let n = 0; n < 200; n++) {
      void batcher.submit('high', { priority: 1 });
      await clock.advance(5);
    }
    const position = lane.inputs.flat().indexOf('low');
    expect(position).toBeGreaterThan(45);
    expect(position).toBeLessThan(55);
  });
});
