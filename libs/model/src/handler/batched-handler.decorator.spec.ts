import { describe, expect, it, vi } from 'vitest';
import { BatchedHandler, batchedHandlerOptions, markBatchedHandler } from './batched-handler.decorator.js';
import type { BatchedHandlerOptions } from './batched-handler-options.js';

class Doubler {
  @BatchedHandler({ name: 'double', maxBatchSize: 64 })
  double(this: void, batch: number[]): number[] {
    return batch.map((n) => 2 * n);
  }

  halve(this: void, batch: number[]): number[] {
    return batch.map((n) => n / 2);
  }
}

describe('the options of a handler', () => {
  it('are those that its method was decorated with', () => {
    expect(batchedHandlerOptions(Doubler.prototype.double)).toEqual({ name: 'double', maxBatchSize: 64 });
    expect(new Doubler().double([2])).toEqual([4]);
  });

  it('cannot be changed afterwards, not even by who gave them', () => {
    const given = { name: 'echo', maxBatchSize: 4 };
    const options = batchedHandlerOptions(markBatchedHandler((batch: number[]) => batch, given));
    given.maxBatchSize = 99;
    expect(options).toEqual({ name: 'echo', maxBatchSize: 4 });
    expect(Object.isFrozen(options)).toBe(true);
  });

  it.each([
    ['a method without them', Doubler.prototype.halve],
    ['a class', Doubler],
    ['null', null],
  ])('are not found on %s', (_, value) => {
    expect(batchedHandlerOptions(value)).toBeUndefined();
  });

  it('are recognised by another copy of this package, and the other way round', async () => {
    vi.resetModules();
    const copy = await import('./batched-handler.decorator.js');
    expect(copy.markBatchedHandler).not.toBe(markBatchedHandler);
    expect(copy.batchedHandlerOptions(Doubler.prototype.double)?.name).toBe('double');
    const foreign = copy.markBatchedHandler((batch: number[]) => batch, { name: 'foreign' });
    expect(batchedHandlerOptions(foreign)?.name).toBe('foreign');
  });
});

describe('whether a handler streams', () => {
  async function* generator(batch: string[]) {
    yield batch;
  }
  const mark = (handler: object, options: Partial<BatchedHandlerOptions> = {}) =>
    batchedHandlerOptions(markBatchedHandler(handler as never, { name: 'm', ...options }))?.streaming;

  it('is seen from its kind', () => {
    expect(mark((batch: string[]) => generator(batch))).toBeUndefined();
    expect(mark(async (batch: string[]) => batch)).toBeUndefined();
    expect(mark(generator.bind(undefined))).toBe(true);
  });

  it('is as its author says, whatever its kind', () => {
    expect(mark((batch: string[]) => generator(batch), { streaming: true })).toBe(true);
    expect(mark(generator.bind(undefined), { streaming: false })).toBe(false);
    expect(mark((batch: string[]) => generator(batch), { continuous: true })).toBe(true);
  });
});
