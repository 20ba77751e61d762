import type { BatchContext } from '#model';
import { describe, expect, it } from 'vitest';
import { HandlerRunner } from './handler-runner.js';
import { InputDecoder } from './input-decoder.js';

const OWNER = { workerId: 2, device: 'cuda:1', model: 'm', version: 'v3' };

type Handle = (batch: unknown[], context: BatchContext) => unknown;

function createRunner(handle: Handle): HandlerRunner {
  return new HandlerRunner({ handle }, new InputDecoder(undefined), OWNER);
}

function message(values: readonly unknown[], batch = 1) {
  const items = values.map((_, index) => ({ requestId: `r${index}`, parameters: { index }, deadline: 99 }));
  return { type: 'run', batch, items, values } as const;
}

describe('running a batch in a worker', () => {
  it('gives each item its own result', async () => {
    const runner = createRunner((batch) => (batch as number[]).map((n) => 2 * n));
    expect(await runner.run(message([1, 2, 3]))).toEqual([2, 4, 6]);
  });

  it('tells the handler who runs it and for whom', async () => {
    let seen: BatchContext | undefined;
    const runner = createRunner((batch, context) => {
      seen = context;
      return batch;
    });
    await runner.run(message(['a', 'b']));
    expect(seen).toMatchObject({
      ...OWNER,
      items: [{ requestId: 'r0' }, { parameters: { index: 1 }, deadline: 99 }],
    });
  });

  it.each([
    ['P2 BC-020 one result too few', () => ['all'], 'array of 2 results, but returned 1'],
    ['P2 one result too many', () => [1, 2, 3], 'but returned 3'],
    ['P2 a text, which has a length too', () => 'ab', 'but returned a string'],
    ['P2 BC-019 columns by name', () => ({ a: [1, 2], b: [3, 4] }), 'but returned an object'],
    ['P2 a Map', () => new Map([[0, 1]]), 'but returned a Map'],
    ['P2 a typed array', () => new Float32Array(2), 'but returned a Float32Array'],
    ['P2 nothing', () => undefined, 'but returned nothing'],
    ['P2 a hole', () => Object.assign([], { 1: 'b' }), 'but result 0 is missing'],
  ])('refuses %s', async (_, handle, text) => {
    await expect(createRunner(handle).run(message(['a', 'b']))).rejects.toMatchObject({
      code: 'contract_violation',
      message: expect.stringContaining(text) as string,
    });
  });

  it('hides from clients what a handler threw, and keeps it as the cause', async () => {
    const runner = createRunner(() => {
      throw new Error('secret');
    });
    const error = await runner.run(message([1])).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'handler_failed', cause: { message: 'secret' } });
    expect((error as Error).message).not.toContain('secret');
  });

  it('BC-026 lets an error in a slot stand for its item only', async () => {
    const runner = createRunner((batch) => batch.map((n) => (n === 2 ? new Error('not two') : n)));
    expect(await runner.run(message([1, 2, 3]))).toEqual([1, new Error('not two'), 3]);
  });

  it('runs another batch after one that failed', async () => {
    let runs = 0;
    const runner = createRunner((batch) => {
      if (runs++ === 0) throw new Error('first');
      return batch;
    });
    await expect(runner.run(message(['a']))).rejects.toMatchObject({ code: 'handler_failed' });
    expect(await runner.run(message(['b'], 2))).toEqual(['b']);
  });
});

describe('an item whose client leaves while its batch runs', () => {
  function createStanding() {
    const contexts: BatchContext[] = [];
    let finish: (output: unknown) => void = () => undefined;
    const runner = createRunner((_batch, context) => {
      contexts.push(context);
      // Both signals are made when they are first asked for.
      context.items.forEach(({ signal }) => signal.aborted);
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    return { runner, contexts, finish: (output: unknown) => finish(output) };
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('BC-052 is told to the handler, and the batch only when all have left', async () => {
    const { runner, contexts, finish } = createStanding();
    const running = runner.run(message(['a', 'b'], 7));
    await settle();
    const [context] = contexts;
    const aborted = () =>
      [context!.signal, ...context!.items.map(({ signal }) => signal)].map((s) => s.aborted);
    runner.depart(7, 1);
    expect(aborted()).toEqual([false, false, true]);
    runner.depart(7, 0);
    expect(aborted()).toEqual([true, true, true]);
    finish([1, 2]);
    expect(await running).toEqual([1, 2]);
  });

  it('changes nothing in another batch, and nothing when it comes late', async () => {
    const { runner, contexts, finish } = createStanding();
    const running = runner.run(message(['a'], 7));
    await settle();
    runner.depart(6, 0);
    runner.depart(7, 5);
    expect(contexts[0]!.items[0]!.signal.aborted).toBe(false);
    finish(['done']);
    await running;
    runner.depart(7, 0);
    expect(contexts[0]!.items[0]!.signal.aborted).toBe(false);
  });
});
