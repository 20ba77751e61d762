import { DynamicBatcher, EagerWindow, SystemClock, type BatcherOptions } from '#batching';
import type { BatchContext, StepChanges, StreamHandler } from '#model';
import { describe, expect, it } from 'vitest';
import { WiredWorker } from '../../test/wired-worker.js';
import { workerDied } from '../transport/worker-exit.js';
import { WorkerLane } from './worker-lane.js';

const OPTIONS: BatcherOptions = {
  maxBatchSize: 4,
  maxWaitMs: 0,
  maxQueueSize: 100,
  timeoutMs: 60_000,
  window: new EagerWindow(),
};

function wire(
  handle: StreamHandler<never>,
  streaming: 'static' | 'continuous',
  options: Partial<BatcherOptions> = {},
) {
  const worker = new WiredWorker({ handle, streaming });
  const batcher = new DynamicBatcher<unknown, unknown>(
    { ...OPTIONS, streaming, ...options },
    new SystemClock(),
  );
  const lane = new WorkerLane(0, 'cpu', worker, {
    log: () => undefined,
    hung: () => undefined,
    exhausted: () => undefined,
    rested: () => undefined,
    exited: (dead, exit) => batcher.removeLane(dead, workerDied(exit)),
  });
  batcher.addLane(lane);
  return { worker, batcher };
}

/** Counts for each input up to it. */
async function* count(batch: number[]): AsyncGenerator<(number | null)[], void> {
  for (let n = 1; ; n++) {
    if (batch.every((to) => n > to)) return;
    yield batch.map((to) => (n > to ? null : n));
  }
}

/** The same, with others who come and go. */
async function* countAll(batch: number[]): AsyncGenerator<(number | null)[], void, StepChanges<number>> {
  const list = batch.map((to) => ({ to, n: 0 }));
  while (list.length > 0) {
    const { ended, joined } = yield list.map((each) => (++each.n > each.to ? null : each.n));
    for (const index of ended) list.splice(index, 1);
    list.push(...joined.map((to) => ({ to, n: 0 })));
  }
}

/** Gives the same buffer with every token. */
async function* reuse(batch: number[]) {
  const buffer = new Float32Array(2);
  for (let step = 1; step <= 2; step++) {
    buffer.fill(step);
    yield batch.map(() => ({ dtype: 'float32', shape: [2], data: buffer }));
  }
}

/** Gives functions, which can't be sent, for some inputs. */
async function* unsendable(batch: string[]) {
  yield batch.map((value) => (value === 'bad' ? () => value : value));
  yield batch;
}

async function all(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const token of stream) seen.push(token);
  } catch (error) {
    seen.push((error as { code?: string }).code);
  }
  return seen;
}

describe('a stream through a worker', () => {
  it('gives each client its own tokens, one message a step', async () => {
    const { worker, batcher } = wire(count, 'static');
    const streams = [3, 1, 2].map((to) => all(batcher.stream(to)));
    expect(await Promise.all(streams)).toEqual([[1, 2, 3], [1], [1, 2]]);
    await batcher.drained();
    // One for each number, and one for the handler's return.
    expect(worker.answered.map(({ type }) => type)).toEqual(['step', 'step', 'step', 'step']);
  });

  it('lets others join a continuous batch, P2: each with its own tokens', async () => {
    const { worker, batcher } = wire(countAll, 'continuous');
    const first = batcher.stream(20);
    await first.next();
    const others = [2, 0, 5].map((to) => all(batcher.stream(to)));
    expect(await Promise.all(others)).toEqual([[1, 2], [], [1, 2, 3, 4, 5]]);
    expect(await all(first)).toEqual(Array.from({ length: 19 }, (_, index) => index + 2));
    await batcher.drained();
    expect(worker.sent.filter(({ type }) => type === 'run')).toHaveLength(1);
  });

  it('moves tensors with the tokens, also where the model uses its buffer again', async () => {
    const { batcher } = wire(reuse, 'static');
    const tokens = (await all(batcher.stream(1))) as { data: Float32Array }[];
    expect(tokens.map(({ data }) => [...data])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it('P3: a token that no thread can be sent ends its sequence only', async () => {
    const { batcher } = wire(unsendable, 'static');
    const streams = ['bad', 'good'].map((value) => all(batcher.stream(value)));
    expect(await Promise.all(streams)).toEqual([['contract_violation'], ['good', 'good']]);
  });

  it('P3: an input that no thread can be sent does not disturb the batch that it would join', async () => {
    const { batcher } = wire(countAll, 'continuous');
    const first = batcher.stream(50);
    await first.next();
    const [bad, good] = [all(batcher.stream(() => 1)), all(batcher.stream(2))];
    expect(await bad).toEqual(['handler_failed']);
    expect(await good).toEqual([1, 2]);
    expect(await all(first)).toHaveLength(49);
  });

  it('tells the handler of a client that leaves, and goes on for the others', async () => {
    const left: boolean[][] = [];
    async function* attentive(batch: number[], { items }: BatchContext) {
      for (let step = 0; step < 20; step++) {
        left.push(items.map(({ signal }) => signal.aborted));
        yield batch.map(() => step);
      }
    }
    const { batcher } = wire(attentive, 'static');
    const leaving = batcher.stream(1);
    const staying = all(batcher.stream(2));
    await leaving.next();
    await leaving.return();
    expect(await staying).toHaveLength(20);
    expect(left.at(-1)).toEqual([true, false]);
  });

  it('ends with the worker, and its lane', async () => {
    const { worker, batcher } = wire(countAll, 'continuous', { maxStreamBuffer: 1 });
    const stream = batcher.stream(1000);
    await stream.next();
    worker.die();
    expect((await all(stream)).at(-1)).toBe('worker_died');
    expect(batcher.laneCount).toBe(0);
    await batcher.drained();
  });
});
