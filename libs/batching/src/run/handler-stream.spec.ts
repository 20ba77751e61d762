import type { BatchContext, LifeCycleHooks, StepChanges } from '#model';
import { describe, expect, it } from 'vitest';
import { HandlerStream, type StepInput } from './handler-stream.js';

const OWNER = { workerId: 0, device: 'cpu', model: 'm', version: '1' };

function item(requestId: string) {
  return { requestId, parameters: {}, deadline: 0 };
}

function join(from: number, ...values: unknown[]): StepInput {
  const sequences = values.map((_, index) => from + index);
  return { left: [], sequences, items: values.map((value) => item(String(value))), values };
}

function leave(...left: number[]): StepInput {
  return { left, sequences: [], items: [], values: [] };
}

function stream(handle: unknown, streaming: 'static' | 'continuous', hooks?: LifeCycleHooks): HandlerStream {
  return new HandlerStream({ handle: handle as never, streaming, hooks }, OWNER);
}

/** A hook that fails on one value. */
function refuse(disliked: string): (value: unknown) => unknown {
  return (value) => {
    if (value === disliked) throw new Error(`${disliked} is not liked`);
    return value;
  };
}

describe('a static stream', () => {
  it('keeps every place; what is yielded in the place of one that is over is not looked at', async () => {
    const run = stream(async function* (
      batch: string[],
      { items }: BatchContext,
    ): AsyncGenerator<unknown, void, unknown> {
      expect(yield batch).toBeUndefined();
      expect(items[0]!.signal.aborted).toBe(true);
      yield [undefined, 'b2', null];
      yield [undefined, 'b3', undefined];
    }, 'static');
    expect((await run.next(join(0, 'a', 'b', 'c'))).entries.map(({ value }) => value)).toEqual([
      'a',
      'b',
      'c',
    ]);
    run.depart(0);
    expect((await run.next(leave(0))).entries).toEqual([
      { sequence: 1, value: 'b2' },
      { sequence: 2, value: null },
    ]);
    expect((await run.next(leave())).entries).toEqual([{ sequence: 1, value: 'b3' }]);
    expect(await run.next(leave())).toEqual({ entries: [], done: true });
  });

  it.each([
    ['a text', 'ab', /array of 2 tokens, but yielded a string/],
    ['too little', ['a'], /but yielded 1/],
    ['too much', ['a', 'b', 'c'], /but yielded 3/],
    ['a hole', Object.assign(['a'], { length: 2 }), /token 1 is missing/],
    ['a Map', new Map(), /but yielded a Map/],
  ])('P2: breaks its contract by yielding %s, and its finally blocks run', async (_, step, message) => {
    let isClosed = false;
    const run = stream(async function* () {
      try {
        yield step;
      } finally {
        isClosed = true;
      }
    }, 'static');
    const outcome = run.next(join(0, 'a', 'b'));
    await expect(outcome).rejects.toMatchObject({ code: 'contract_violation' });
    await expect(outcome).rejects.toThrow(message);
    expect(isClosed).toBe(true);
  });

  it('P8: what it throws stays a secret', async () => {
    const run = stream(async function* () {
      yield await Promise.reject(new Error('secret'));
    }, 'static');
    const outcome = run.next(join(0, 'a'));
    await expect(outcome).rejects.toMatchObject({ code: 'handler_failed' });
    await expect(outcome).rejects.not.toThrow('secret');
  });

  it('is a contract error where the handler returns no generator', async () => {
    const run = stream((batch: unknown[]) => batch, 'static');
    await expect(run.next(join(0, 'a'))).rejects.toThrow(/async generator, but returned a Array/);
  });
});

describe('a continuous stream', () => {
  /** Repeats each input, and tells what `yield` gave. */
  const seen: StepChanges<string>[] = [];
  async function* repeat(batch: string[], { items }: BatchContext) {
    const list = [...batch];
    while (list.length > 0) {
      expect(items.map(({ requestId }) => requestId)).toEqual(list);
      const tokens = list.map((value) => (value === 'short' ? null : value));
      const changes = (yield tokens) as StepChanges<string>;
      seen.push(changes);
      for (const index of changes.ended) list.splice(index, 1);
      list.push(...changes.joined);
    }
  }

  it('tells the handler who has ended, who has left and who has joined', async () => {
    seen.length = 0;
    const run = stream(repeat, 'continuous');
    await run.next(join(0, 'a', 'short', 'b', 'c'));
    const step = await run.next({ ...join(4, 'd'), left: [2, 1] });
    expect(seen).toEqual([{ ended: [2, 1], joined: ['d'] }]);
    expect(step.entries).toEqual([
      { sequence: 0, value: 'a' },
      { sequence: 3, value: 'c' },
      { sequence: 4, value: 'd' },
    ]);
  });

  it('P3: a sequence that fails in decode never comes on the list', async () => {
    seen.length = 0;
    const run = stream(repeat, 'continuous', { decode: refuse('bad') });
    await run.next(join(0, 'a'));
    const { entries } = await run.next(join(1, 'bad', 'b'));
    expect(seen).toEqual([{ ended: [], joined: ['b'] }]);
    expect(entries.map(({ sequence, value }) => [sequence, value instanceof Error || value])).toEqual([
      [1, true],
      [0, 'a'],
      [2, 'b'],
    ]);
  });

  it('encodes each token; an error there ends its sequence only', async () => {
    seen.length = 0;
    const run = stream(repeat, 'continuous', { encode: refuse('b') });
    const { entries } = await run.next(join(0, 'a', 'b', 'short'));
    expect(entries.map(({ value }) => (value instanceof Error ? value.message : value))).toEqual([
      'a',
      'b is not liked',
      null,
    ]);
    await run.next(leave());
    expect(seen).toEqual([{ ended: [2, 1], joined: [] }]);
  });

  it('must not return while it has sequences', async () => {
    const run = stream(async function* (batch: string[]) {
      yield batch;
    }, 'continuous');
    await run.next(join(0, 'a'));
    await expect(run.next(join(1, 'b'))).rejects.toThrow(/2 of its sequences had not ended/);
  });

  it('aborts the signal of the batch only when everybody has left, who has joined meanwhile included', async () => {
    let context: BatchContext | undefined;
    const run = stream(async function* (batch: string[], given: BatchContext) {
      context = given;
      expect(given.signal.aborted).toBe(false);
      yield batch;
      yield ['a', 'b'];
      yield ['a', 'b'];
    }, 'continuous');
    await run.next(join(0, 'a'));
    const joining = run.next(join(1, 'b'));
    run.depart(0);
    await joining;
    expect(context!.signal.aborted).toBe(false);
    run.depart(1);
    expect(context!.signal.aborted).toBe(true);
  });
});
