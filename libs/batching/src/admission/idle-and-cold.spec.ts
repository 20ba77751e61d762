import { describe, expect, it } from 'vitest';
import { createBatcher, outcomes } from '../../test/batcher-fixture.js';
import { TimedLane } from '../../test/timed-lane.js';
import type { BatcherOptions } from '../index.js';

const MODEL: Partial<BatcherOptions> = { maxQueueSize: 128, timeoutMs: 30_000 };

/** A batcher with one lane that takes `runMs` for its first batch, second batch …; the last one for all others. */
function serve(options: Partial<BatcherOptions>, ...runMs: readonly number[]) {
  const { clock, batcher } = createBatcher<number, number>({ ...MODEL, ...options });
  let runs = 0;
  const law = () => runMs[Math.min(runs++, runMs.length - 1)]!;
  batcher.addLane(new TimedLane<number, number>(clock, (batch) => batch, law));
  /** As a request over HTTP: asks whether it may come in, and comes in. */
  const request = (value: number): Promise<number> => {
    batcher.assertAdmits(1);
    return batcher.submit(value);
  };
  return { clock, request };
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('BC-065 a server that had little to do', () => {
  it.each<[string, Partial<BatcherOptions>]>([
    ['with the default options', { maxBatchSize: 32 }],
    ['one item at a time', { maxBatchSize: 1 }],
    ['with a target of 0.1 s', { maxBatchSize: 1, targetLatencyMs: 100 }],
    ['where nobody may wait longer than 50 ms', { maxBatchSize: 1, maxQueueDelayMs: 50 }],
  ])(
    'refuses nobody of a burst of 20 after 5 s of 10 requests a second and 3 s of nothing: 1 ms model, %s',
    async (_, options) => {
      const { clock, request } = serve(options, 1);
      const answers: Promise<number>[] = [];
      for (const value of range(50)) {
        answers.push(request(value));
        await clock.advance(100);
      }
      await clock.advance(3000);
      answers.push(...range(20).map((value) => request(value)));
      await clock.advance(1000);
      expect(await outcomes(answers)).toEqual([...range(50), ...range(20)]);
    },
  );
});

describe('BC-065 a model that is cold', () => {
  it.each([1, 32])(
    'whose first run takes 5 s: nobody is refused by estimate, then or later, with batches of %d',
    async (maxBatchSize) => {
      const { clock, request } = serve({ maxBatchSize, targetLatencyMs: 1000 }, 5000, 10);
      const answers: Promise<number>[] = [];
      // 10 requests a second, also while the first run goes on.
      for (const value of range(100)) {
        answers.push(request(value));
        await clock.advance(100);
      }
      await clock.advance(5000);
      expect(await outcomes(answers)).toEqual(range(100));
    },
  );
});
