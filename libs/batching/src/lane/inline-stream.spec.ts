import type { BatchContext, StepChanges } from '#model';
import { describe, expect, it } from 'vitest';
import { GENEROUS } from '../../test/batcher-fixture.js';
import { SystemClock } from '../clock/system-clock.js';
import { DynamicBatcher } from '../dynamic-batcher.js';
import type { RunnableHandler } from '../run/handler-run.js';
import { InlineLane } from './inline-lane.js';

function create(handler: RunnableHandler): DynamicBatcher<string, unknown> {
  const { streaming } = handler;
  const batcher = new DynamicBatcher<string, unknown>({ ...GENEROUS, streaming }, new SystemClock());
  batcher.addLane(new InlineLane(handler, { workerId: 0, device: 'cpu', model: 'm', version: '1' }));
  return batcher;
}

async function all(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const token of stream) seen.push(token);
  return seen;
}

describe('a stream on the caller’s own thread', () => {
  it('goes letter by letter, each caller with its own', async () => {
    const batcher = create({
      streaming: 'static',
      handle: async function* (batch: string[]) {
        for (let at = 0; at < 5; at++) yield batch.map((word) => word[at] ?? null);
      },
    });
    const words = await Promise.all(['abc', 'x'].map((word) => all(batcher.stream(word))));
    expect(words).toEqual([['a', 'b', 'c'], ['x']]);
    await batcher.drained();
  });

  it('lets others join, tells the handler who has left, and closes it when nobody is left', async () => {
    const sizes: number[] = [];
    let isClosed = false;
    const batcher = create({
      streaming: 'continuous',
      handle: async function* (
        batch: string[],
        { items }: BatchContext,
      ): AsyncGenerator<unknown[], void, StepChanges<string>> {
        const list = [...batch];
        try {
          for (;;) {
            sizes.push(items.length);
            const { ended, joined } = yield [...list];
            for (const index of ended) list.splice(index, 1);
            list.push(...joined);
          }
        } finally {
          isClosed = true;
        }
      },
    });
    const first = batcher.stream('a');
    expect(await first.next()).toEqual({ done: false, value: 'a' });
    const second = batcher.stream('b');
    expect(await second.next()).toEqual({ done: false, value: 'b' });
    await first.return();
    await second.next();
    await second.return();
    await batcher.drained();
    expect([isClosed, sizes[0], Math.max(...sizes)]).toEqual([true, 1, 2]);
  });
});
