import { ServingError } from '#model';
import { describe, expect, it } from 'vitest';
import { createBatcher } from '../../test/batcher-fixture.js';
import { ManualStreamLane } from '../../test/manual-stream-lane.js';
import type { BatcherOptions } from '../batcher-options.js';
import type { TokenStream } from './token-stream.js';

const NUMBER = ({ given }: { given: number }) => given;

function setUp(options: Partial<BatcherOptions> = {}) {
  const lane = new ManualStreamLane<string>();
  const fixture = createBatcher<string, unknown>({ maxBatchSize: 4, streaming: 'static', ...options });
  fixture.batcher.addLane(lane);
  const settle = () => fixture.clock.advance(0);
  return { ...fixture, lane, settle };
}

/** Everything that a stream gives, ended by `done` or by the code of its error. */
async function all(stream: TokenStream<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const token of stream) seen.push(token);
    seen.push('done');
  } catch (error) {
    seen.push((error as { code?: string }).code);
  }
  return seen;
}

describe('a streaming batch', () => {
  it('gives each stream its own tokens in order, until null', async () => {
    const { batcher, lane, settle } = setUp();
    const streams = ['a', 'b'].map((value) => all(batcher.stream(value)));
    await settle();
    lane.step(({ value, given }) => `${value}${given}`);
    lane.step(({ value, given }) => (value === 'a' ? null : `${value}${given}`));
    lane.step(() => null);
    lane.close();
    expect(await Promise.all(streams)).toEqual([
      ['a1', 'done'],
      ['b1', 'b2', 'done'],
    ]);
    expect(batcher.runningSize).toBe(0);
  });

  it('P3: fails the sequence whose slot holds an error, and no other', async () => {
    const { batcher, lane, settle } = setUp();
    const streams = ['a', 'b'].map((value) => all(batcher.stream(value)));
    await settle();
    lane.step(({ value }) => (value === 'a' ? new Error('no') : 1));
    lane.step(() => null);
    lane.close();
    expect(await Promise.all(streams)).toEqual([['handler_failed'], [1, 'done']]);
  });

  it('ends the sequences that are left when the handler returns', async () => {
    const { batcher, lane, settle } = setUp();
    const stream = all(batcher.stream('a'));
    await settle();
    lane.step();
    lane.step(NUMBER, true);
    expect(await stream).toEqual([1, 2, 'done']);
  });

  it('is collected into a list for a caller who wants it at once', async () => {
    const { batcher, lane, settle } = setUp();
    const result = batcher.submit('a');
    await settle();
    lane.step();
    lane.step();
    lane.step(() => null);
    lane.close();
    expect(await result).toEqual([1, 2]);
  });

  it('ends with its worker, every stream of it with an error', async () => {
    const { batcher, lane, settle } = setUp();
    const streams = ['a', 'b'].map((value) => all(batcher.stream(value)));
    await settle();
    lane.step();
    batcher.removeLane(lane, new ServingError('no_worker', 'it died'));
    expect(await Promise.all(streams)).toEqual([
      [1, 'no_worker'],
      [1, 'no_worker'],
    ]);
    expect(batcher.runningSize).toBe(0);
  });

  it('that fails runs those again who have had no token, and only them', async () => {
    const { batcher, lane, settle } = setUp({ streaming: 'continuous' });
    const old = all(batcher.stream('old'));
    await settle();
    lane.step();
    const fresh = all(batcher.stream('new'));
    await settle();
    lane.step(NUMBER);
    expect(lane.list.map(({ value }) => value)).toEqual(['old', 'new']);
    lane.fail(new Error('bad'));
    expect((await old).at(-1)).toBe('handler_failed');
    await settle();
    expect(lane.list.map(({ value }) => value)).toEqual(['new']);
    lane.step();
    lane.step(() => null);
    lane.close();
    expect(await fresh).toEqual([1, 'done']);
  });

  it('ends a stream at its deadline, while the others go on', async () => {
    const { batcher, clock, lane } = setUp();
    const late = all(batcher.stream('late', { timeoutMs: 10 }));
    const patient = all(batcher.stream('patient'));
    await clock.advance(0);
    lane.step();
    await clock.advance(11);
    expect(await late).toEqual([1, 'deadline_exceeded']);
    expect(lane.departed).toEqual([0]);
    lane.step();
    lane.step(() => null);
    lane.close();
    expect(await patient).toEqual([1, 2, 'done']);
    await clock.advance(0);
    expect(clock.pending).toBe(0);
  });

  it('is closed when everybody has left, and its failing then is nobody’s', async () => {
    const { batcher, lane, settle } = setUp();
    const stream = batcher.stream('a');
    await settle();
    await stream.return();
    expect(batcher.runningSize).toBe(0);
    lane.step();
    expect(lane.phase).toBe('closing');
    lane.close();
    const next = batcher.stream('b');
    await settle();
    await next.return();
    lane.fail(new Error('aborted'));
    await expect(batcher.drained()).resolves.toBeUndefined();
  });
});

describe('P3, P5: back-pressure', () => {
  it('a single reader that stops makes the handler stand still', async () => {
    const { batcher, lane, settle } = setUp({ maxStreamBuffer: 32 });
    const stream = batcher.stream('a');
    await settle();
    // A sixteenth of the bound may wait before the handler is made to wait.
    lane.step();
    expect(lane.phase).toBe('running');
    lane.step();
    expect(lane.phase).toBe('standing');
    await stream.next();
    await settle();
    expect(lane.phase).toBe('running');
  });

  it('a reader that does not follow the others is ended at its bound', async () => {
    const { batcher, lane, settle } = setUp({ maxStreamBuffer: 4 });
    const slow = batcher.stream('slow');
    const quick = all(batcher.stream('quick'));
    await settle();
    for (let step = 0; step < 6; step++) {
      lane.step();
      await settle();
    }
    expect(lane.departed).toEqual([0]);
    lane.step(() => null);
    lane.close();
    expect(await quick).toEqual([1, 2, 3, 4, 5, 6, 'done']);
    expect(await all(slow)).toEqual([1, 2, 3, 4, 'slow_reader']);
  });

  it('readers that let others wait for their place are ended after a second', async () => {
    const { batcher, clock, lane } = setUp({ maxStreamBuffer: 4, maxBatchSize: 1 });
    const slow = batcher.stream('slow');
    await clock.advance(0);
    lane.step();
    expect(lane.phase).toBe('standing');
    await clock.advance(10_000);
    expect(lane.phase).toBe('standing');
    const next = all(batcher.stream('next'));
    await clock.advance(999);
    expect(lane.phase).toBe('standing');
    await clock.advance(2);
    expect(lane.phase).toBe('closing');
    lane.close();
    await clock.advance(0);
    lane.step(NUMBER, true);
    expect(await next).toEqual([1, 'done']);
    expect(await all(slow)).toEqual([1, 'slow_reader']);
    await clock.advance(0);
    expect(clock.pending).toBe(0);
  });
});

describe('continuous batching', () => {
  it('lets waiting items join a running batch between steps, and frees places at once', async () => {
    const { batcher, lane, settle } = setUp({ streaming: 'continuous', maxBatchSize: 2 });
    const first = batcher.stream('1');
    void all(batcher.stream('2'));
    await settle();
    const third = all(batcher.stream('3'));
    await settle();
    lane.step();
    expect(lane.list.map(({ value }) => value)).toEqual(['1', '2']);
    await first.return();
    lane.step();
    expect(lane.list.map(({ value }) => value)).toEqual(['2', '3']);
    lane.step(NUMBER, true);
    expect(await third).toEqual([1, 'done']);
  });

  it('an item that comes while the batch stands still joins it', async () => {
    const { batcher, lane, settle } = setUp({ streaming: 'continuous', maxStreamBuffer: 4 });
    batcher.stream('slow');
    await settle();
    lane.step();
    expect(lane.phase).toBe('standing');
    void all(batcher.stream('new'));
    await settle();
    expect([lane.phase, lane.list.length]).toEqual(['running', 2]);
  });

  it('takes the higher priority first, and keeps to the cost limit', async () => {
    const { batcher, lane, settle } = setUp({ streaming: 'continuous', maxBatchCost: 5 });
    void all(batcher.stream('first', { cost: 2 }));
    await settle();
    void all(batcher.stream('low', { cost: 2 }));
    void all(batcher.stream('high', { cost: 2, priority: 1 }));
    await settle();
    lane.step();
    expect(lane.list.map(({ value }) => value)).toEqual(['first', 'high']);
  });

  it('nobody joins past items of another signature that go before them', async () => {
    const { batcher, clock, lane } = setUp({ streaming: 'continuous' });
    void all(batcher.stream('a1', { signature: 'a' }));
    await clock.advance(1);
    void all(batcher.stream('b', { signature: 'b' }));
    await clock.advance(1);
    void all(batcher.stream('a2', { signature: 'a' }));
    await clock.advance(1);
    lane.step();
    expect(lane.list.map(({ value }) => value)).toEqual(['a1']);
    lane.step(() => null);
    lane.close();
    await clock.advance(0);
    expect(lane.list.map(({ value }) => value)).toEqual(['b']);
  });
});
