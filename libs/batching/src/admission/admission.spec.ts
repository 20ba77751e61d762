import type { ServingError } from '#model';
import { describe, expect, it } from 'vitest';
import { createBatcher } from '../../test/batcher-fixture.js';
import { ManualLane } from '../../test/manual-lane.js';
import { TimedLane } from '../../test/timed-lane.js';
import type { BatcherOptions, DynamicBatcher, VirtualClock } from '../index.js';
import type { AdmissionRequest } from './admission.js';

const LIMIT = 4;
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The refusal, or `undefined` when `count` items may come in. */
function refusal(batcher: DynamicBatcher<number, number>, request: AdmissionRequest = {}, count = 1) {
  try {
    batcher.assertAdmits(count, request);
    return undefined;
  } catch (error) {
    const { code, status, retryAfterSeconds, message } = error as ServingError;
    expect(status).toBe(code === 'no_worker' ? 503 : 429);
    return { code, retryAfterSeconds, message };
  }
}

/** A batcher that has learned how long batches take, whose lanes are free. */
function learned(
  runMs: number | ((size: number) => number),
  options: Partial<BatcherOptions> = {},
  lanes = 1,
) {
  const { clock, batcher } = createBatcher({ maxBatchSize: LIMIT, ...options });
  const law = { runMs: typeof runMs === 'number' ? () => runMs : runMs };
  for (const id of range(lanes)) {
    batcher.addLane(
      new TimedLane<number, number>(
        clock,
        (batch) => batch,
        (size) => law.runMs(size),
        id,
      ),
    );
  }
  for (let round = 0; round < 80; round++) {
    submit(batcher, 1 + (round % LIMIT));
    clock.runUntil(clock.now() + 2 * law.runMs(LIMIT));
  }
  expect([batcher.queueSize, batcher.runningSize]).toEqual([0, 0]);
  return { clock, batcher, law };
}

function submit(batcher: DynamicBatcher<number, number>, count: number, options = {}): void {
  for (let item = 0; item < count; item++) batcher.enqueue(item, options, ignore, ignore);
}

const ignore = () => undefined;

/** A request that everything that waits goes before. */
const last = (timeoutMs: number): AdmissionRequest => ({ timeoutMs, priority: 10 });

/** Submits, and lets free lanes take their batches. */
function fill(clock: VirtualClock, batcher: DynamicBatcher<number, number>, count: number): void {
  submit(batcher, count);
  clock.runUntil(clock.now());
}

describe('admission by the deadline', () => {
  it('counts what is left of the batch in flight, what waits, and the own batch', () => {
    const { clock, batcher } = learned(100);
    // One batch in flight, one and a half waiting: 100 + 100 + 100.
    fill(clock, batcher, 10);
    expect(batcher.queueSize).toBe(6);
    expect(refusal(batcher, last(290))).toMatchObject({
      code: 'predicted_late',
      retryAfterSeconds: 1,
    });
    expect(refusal(batcher, last(310))).toBeUndefined();
    clock.runUntil(clock.now() + 50);
    expect(refusal(batcher, last(240))?.code).toBe('predicted_late');
    expect(refusal(batcher, last(260))).toBeUndefined();
    // Three more fit into no batch that waits.
    expect(refusal(batcher, last(260), 3)?.code).toBe('predicted_late');
    expect(refusal(batcher, last(360), 3)).toBeUndefined();
  });

  it("takes the model's own time limit where the client sets none", () => {
    const { clock, batcher } = learned(100, { timeoutMs: 250 });
    fill(clock, batcher, 8);
    expect(refusal(batcher)).toMatchObject({ code: 'predicted_late' });
    expect(refusal(batcher, last(1000))).toMatchObject({ code: 'predicted_late' });
  });

  it('says when to try again, in whole seconds', () => {
    const { clock, batcher } = learned(1000);
    fill(clock, batcher, 24);
    // 6 batches before it, and its own.
    expect(refusal(batcher, last(2500))).toEqual({
      code: 'predicted_late',
      retryAfterSeconds: 5,
      message: 'it would be answered after its deadline: about 7 s in place of 2.5 s',
    });
  });

  it('reckons with all lanes that are alive', () => {
    const { clock, batcher } = learned(100, {}, 3);
    fill(clock, batcher, 24);
    // Three in flight, three wait: the next starts after 200.
    expect(refusal(batcher, last(240))?.code).toBe('predicted_late');
    expect(refusal(batcher, last(310))).toBeUndefined();
  });

  it('lets a lane that hangs count for less and less', () => {
    const { clock, batcher } = learned(100);
    const hung = new ManualLane<number, number>(1);
    batcher.addLane(hung);
    clock.runUntil(clock.now());
    fill(clock, batcher, 8);
    expect(hung.busy).toBe(true);
    fill(clock, batcher, 8);
    // Two lanes, two batches ahead beside those in flight.
    expect(refusal(batcher, last(350))).toBeUndefined();
    clock.runUntil(clock.now() + 4950);
    fill(clock, batcher, 12);
    // One lane, two batches ahead beside the one in flight.
    expect(refusal(batcher, last(350))?.code).toBe('predicted_late');
    expect(refusal(batcher, last(450))).toBeUndefined();
  });

  it('counts only those that go before: higher priorities, and earlier deadlines of the same', () => {
    const { clock, batcher } = learned(100);
    fill(clock, batcher, 4);
    submit(batcher, 16, { priority: 5, timeoutMs: 10_000 });
    expect(refusal(batcher, { timeoutMs: 300, priority: 6 })?.code).toBe('predicted_late');
    expect(refusal(batcher, { timeoutMs: 300, priority: 1 })).toBeUndefined();
    // The others have more time.
    expect(refusal(batcher, { timeoutMs: 300 })).toBeUndefined();
    submit(batcher, 16, { priority: 5, timeoutMs: 299 });
    expect(refusal(batcher, { timeoutMs: 300 })?.code).toBe('predicted_late');
  });

  it('reckons with small batches where items of several signatures wait, or where they are costly', () => {
    const { clock, batcher } = learned(100, { maxBatchCost: 8 });
    fill(clock, batcher, 4);
    for (const signature of ['a', 'b', 'c', 'd']) submit(batcher, 1, { signature });
    // Three batches of one, and it shares the fourth.
    expect(refusal(batcher, last(450))?.code).toBe('predicted_late');
    expect(refusal(batcher, last(550))).toBeUndefined();
    const costly = learned(100, { maxBatchCost: 8 });
    fill(costly.clock, costly.batcher, 4);
    submit(costly.batcher, 4, { cost: 8 });
    expect(refusal(costly.batcher, last(550))?.code).toBe('predicted_late');
    expect(refusal(costly.batcher, last(650))).toBeUndefined();
  });
});

describe('admission by the aims of the model', () => {
  it('refuses what would wait longer than max_queue_delay', () => {
    const { clock, batcher } = learned(100, { maxQueueDelayMs: 150 });
    fill(clock, batcher, 4);
    expect(refusal(batcher)).toBeUndefined();
    submit(batcher, 4);
    expect(refusal(batcher)).toMatchObject({ code: 'predicted_late', message: /max_queue_delay/ });
    clock.runUntil(clock.now() + 60);
    expect(refusal(batcher)).toBeUndefined();
  });

  it('with a max_queue_delay of 0 serves whoever finds a free lane', () => {
    const { clock, batcher } = learned(100, { maxQueueDelayMs: 0 });
    expect(refusal(batcher)).toBeUndefined();
    fill(clock, batcher, 1);
    expect(refusal(batcher)?.code).toBe('predicted_late');
    clock.runUntil(clock.now() + 100);
    expect(refusal(batcher)).toBeUndefined();
  });

  it('refuses what would miss the target behind a backlog', () => {
    const { clock, batcher } = learned(20, { targetLatencyMs: 100 });
    fill(clock, batcher, 4);
    submit(batcher, 8);
    expect(refusal(batcher)).toBeUndefined();
    submit(batcher, 4);
    expect(refusal(batcher)).toMatchObject({ code: 'predicted_late', message: /target_latency/ });
    // Where the operator says how long a request may wait, the target only steers.
    batcher.configure({ maxQueueDelayMs: 10_000 });
    expect(refusal(batcher)).toBeUndefined();
  });

  it('fills the next batch also where the target is out of reach', () => {
    const { clock, batcher } = learned(100, { targetLatencyMs: 50 });
    fill(clock, batcher, 4);
    const limit = batcher.batchLimit;
    for (const waiting of range(limit)) {
      expect([waiting, refusal(batcher)]).toEqual([waiting, undefined]);
      submit(batcher, 1);
    }
    expect(refusal(batcher)?.code).toBe('predicted_late');
  });

  it('does not refuse a list for its own length', () => {
    const { clock, batcher } = learned(20, { targetLatencyMs: 100 });
    fill(clock, batcher, 1);
    expect(refusal(batcher, {}, 400)).toBeUndefined();
  });

  it.each([1, 2])(
    'BC-064 under twice the load %d lanes can take: 0.95 of it, 0.99 within the target',
    (lanes) => {
      const targetLatencyMs = 80;
      const law = (size: number) => 8 + 3 * size;
      const { clock, batcher } = learned(law, { targetLatencyMs, maxQueueSize: 10_000 }, lanes);
      const startedAt = clock.now();
      const latencies: number[] = [];
      const [capacityPerMs, durationMs] = [(lanes * LIMIT) / law(LIMIT), 10_000];
      for (let at = 0; at < durationMs; at += 1 / (2 * capacityPerMs)) {
        clock.setTimer(at, () => {
          if (refusal(batcher) !== undefined) return;
          const arrival = clock.now();
          batcher.enqueue(1, {}, () => latencies.push(clock.now() - arrival), ignore);
        });
      }
      clock.runUntil(startedAt + durationMs);
      const within = latencies.filter((latency) => latency <= targetLatencyMs);
      expect(within.length).toBeGreaterThanOrEqual(0.95 * capacityPerMs * durationMs);
      expect(within.length).toBeGreaterThanOrEqual(0.99 * latencies.length);
      // Most of the time allowed is used: a burst that the next moment ends is not refused.
      expect(Math.max(...latencies)).toBeGreaterThan(0.7 * targetLatencyMs);
    },
  );
});

describe('an estimate', () => {
  it('is right at once after an idle spell', () => {
    const { clock, batcher } = learned(100);
    clock.runUntil(clock.now() + 3_600_000);
    fill(clock, batcher, 4);
    submit(batcher, 3);
    expect(refusal(batcher, { timeoutMs: 210 })).toBeUndefined();
  });

  it('BC-065 recovers by itself when it is so wrong that nobody is served', () => {
    const { clock, batcher, law } = learned(10, { timeoutMs: 500 });
    law.runMs = () => 5000;
    for (let round = 0; round < 12; round++) {
      submit(batcher, 1);
      clock.runUntil(clock.now() + 6000);
    }
    law.runMs = () => 10;
    const served: number[] = [];
    const from = clock.now();
    for (let at = 0; at < 20_000; at += 50) {
      clock.setTimer(at, () => {
        if (refusal(batcher) === undefined)
          batcher.enqueue(1, {}, () => served.push(clock.now() - from), ignore);
      });
    }
    clock.runUntil(from + 20_000);
    const inTheLastSecond = served.filter((at) => at > 19_000);
    expect(inTheLastSecond).toHaveLength(20);
  });

  it('is not asked while a lane is free and nothing waits', () => {
    const { batcher } = learned(1000);
    expect(refusal(batcher, { timeoutMs: 1 })).toBeUndefined();
  });

  it('says for a full queue when there is room', () => {
    const { clock, batcher } = learned(3000, { maxQueueSize: 8 });
    fill(clock, batcher, 4);
    submit(batcher, 8);
    expect(refusal(batcher)).toMatchObject({ code: 'queue_full', retryAfterSeconds: 3 });
    expect(refusal(batcher, {}, 5)).toMatchObject({ code: 'queue_full', retryAfterSeconds: 6 });
  });
});
