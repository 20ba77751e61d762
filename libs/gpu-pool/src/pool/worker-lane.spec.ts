import { Batch, BatchItem } from '#batching';
import { ServingError } from '#model';
import { describe, expect, it } from 'vitest';
import { FakeTransport } from '../../test/fake-transport.js';
import type { RunMessage, ToWorker } from '../protocol/worker-messages.js';
import { workerDied } from '../transport/worker-exit.js';
import { WorkerLane } from './worker-lane.js';

/** A batch of these values, and what has become of each of its items. */
function createBatch(id: number, values: readonly unknown[]) {
  const outcomes: unknown[] = values.map(() => 'open');
  const items = values.map(
    (value, index) =>
      new BatchItem<unknown, unknown>({
        value,
        requestId: `r${index}`,
        parameters: { index },
        sequence: index,
        arrival: 0,
        deadline: 500,
        signature: '',
        priority: 5,
        cost: 1,
        resolve: (result) => {
          outcomes[index] = result;
        },
        reject: (error) => {
          outcomes[index] = error;
        },
      }),
  );
  const batch = new Batch<unknown, unknown>(id, items, 0, undefined, (ended) => {
    ended.endedAt = 1;
  });
  return { batch, outcomes };
}

function createLane(worker = new FakeTransport('cuda:1')) {
  const events: unknown[] = [];
  const lane = new WorkerLane(4, 'cuda:1', worker, {
    log: (...line) => events.push(line),
    exited: (dead, exit) => events.push([dead === lane, exit.exitCode]),
    hung: () => events.push('hung'),
    exhausted: () => events.push('exhausted'),
    rested: () => undefined,
  });
  return { lane, worker, events };
}

const lastRun = ({ messages }: FakeTransport) => messages.at(-1) as RunMessage;

describe('a batch on its way to a worker and back', () => {
  it('takes along what the handler is told of each item', () => {
    const { lane, worker } = createLane();
    const { batch } = createBatch(7, ['a', 'b']);
    lane.start(batch);
    expect(lastRun(worker)).toMatchObject({ type: 'run', batch: 7, values: ['a', 'b'] });
    expect(lastRun(worker).items).toEqual([
      { requestId: 'r0', parameters: { index: 0 }, deadline: performance.timeOrigin + 500 },
      { requestId: 'r1', parameters: { index: 1 }, deadline: performance.timeOrigin + 500 },
    ]);
  });

  it('P2 gives each item its result or its own error', () => {
    const { lane, worker } = createLane();
    const { batch, outcomes } = createBatch(1, ['a', 'b', 'c']);
    lane.start(batch);
    const error = { name: 'ServingError', message: 'not b', code: 'invalid_input' } as const;
    worker.onMessage({ type: 'result', batch: 1, values: [1, null, 3], errors: [{ index: 1, error }] });
    expect([outcomes[0], outcomes[2]]).toEqual([1, 3]);
    expect(outcomes[1]).toMatchObject({ code: 'invalid_input', message: 'not b' });
    expect(batch.error).toBeUndefined();
  });

  it('BC-022 fails as a whole when the worker says so', () => {
    const { lane, worker } = createLane();
    const { batch } = createBatch(1, ['a', 'b']);
    lane.start(batch);
    const error = { name: 'ServingError', message: 'too few', code: 'contract_violation' } as const;
    worker.onMessage({ type: 'failed', batch: 1, error });
    expect(batch.error).toMatchObject({ code: 'contract_violation', message: 'too few' });
  });

  it('is not ended by an answer to another batch, nor by a second one', () => {
    const { lane, worker } = createLane();
    const first = createBatch(1, ['a']);
    lane.start(first.batch);
    worker.onMessage({ type: 'result', batch: 1, values: ['A'], errors: [] });
    const second = createBatch(2, ['b']);
    lane.start(second.batch);
    worker.onMessage({ type: 'result', batch: 1, values: ['late'], errors: [] });
    worker.onMessage({ type: 'failed', batch: 1, error: { name: 'Error', message: 'late' } });
    worker.onMessage({ type: 'closed', batch: 1 });
    expect([first.outcomes, second.outcomes]).toEqual([['A'], ['open']]);
    worker.onMessage({ type: 'result', batch: 2, values: ['B'], errors: [] });
    expect(second.outcomes).toEqual(['B']);
  });

  it('fails at once when it cannot be sent, and the lane takes the next one', () => {
    const worker = new FakeTransport();
    worker.post = (message: ToWorker) => void worker.messages.push(structuredClone(message));
    const { lane } = createLane(worker);
    const { batch } = createBatch(1, [() => 'a function']);
    lane.start(batch);
    expect(batch.error).toMatchObject({ code: 'handler_failed' });
    const next = createBatch(2, ['b']);
    lane.start(next.batch);
    worker.onMessage({ type: 'result', batch: 2, values: ['B'], errors: [] });
    expect(next.outcomes).toEqual(['B']);
  });

  it('BC-059 tells the worker which client has left, and ends nobody else', () => {
    const { lane, worker } = createLane();
    const { batch, outcomes } = createBatch(3, ['a', 'b']);
    lane.start(batch);
    batch.depart(batch.items[1]!);
    expect(worker.messages.at(-1)).toEqual({ type: 'depart', batch: 3, index: 1 });
    expect(outcomes).toEqual(['open', 'open']);
  });
});

describe('the life of a lane', () => {
  const SOURCE = { specifier: 'model' };
  const ASSIGNMENT = {
    workerId: 4,
    device: 'cuda:1',
    model: { name: 'm', version: '1', intraOpThreads: 1 },
    maxBatchCost: undefined,
    maxBatchSize: 4,
    selfCheck: 'refuse' as const,
  };

  it('is loaded and started in two steps', async () => {
    const { lane, worker } = createLane();
    const loaded = lane.load(SOURCE, 1);
    worker.answerLoad();
    expect(await loaded).toEqual({ handler: {}, input: {}, output: {} });
    const started = lane.startModel(ASSIGNMENT);
    worker.answerStart();
    await started;
    expect(worker.messages).toEqual([
      { type: 'load', source: SOURCE, place: { device: 'cuda:1', intraOpThreads: 1 } },
      { type: 'start', assignment: ASSIGNMENT },
    ]);
  });

  it.each(['load', 'start'] as const)('says why its worker refuses to %s', async (step) => {
    const { lane, worker } = createLane();
    const promise = step === 'load' ? lane.load(SOURCE, 1) : lane.startModel(ASSIGNMENT);
    worker.onMessage({ type: 'refused', error: { name: 'TypeError', message: 'not a model' } });
    await expect(promise).rejects.toMatchObject({ name: 'TypeError', message: 'not a model' });
  });

  it('BC-104 ends a load whose worker dies', async () => {
    const { lane, worker, events } = createLane();
    const loaded = lane.load(SOURCE, 1);
    worker.die(134);
    await expect(loaded).rejects.toThrow('the worker ended: exit code 134');
    expect(events).toEqual([[true, 134]]);
  });

  it('BC-104 ends a load by the error that killed the worker, where it is known', async () => {
    const { lane, worker } = createLane();
    const loaded = lane.load(SOURCE, 1);
    worker.onExit({ error: new Error('heap out of memory'), exitCode: 1 });
    await expect(loaded).rejects.toThrow('heap out of memory');
  });

  it('stops when its worker has ended, and asks a dead one nothing', async () => {
    const { lane, worker } = createLane();
    let stopped = false;
    const stopping = lane.stop().then(() => {
      stopped = true;
    });
    worker.onMessage({ type: 'stopped' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(stopped).toBe(false);
    worker.die(0);
    await stopping;
    await lane.stop();
    expect(worker.types).toEqual(['stop']);
  });

  it('passes on what its worker logs', () => {
    const { worker, events } = createLane();
    worker.onMessage({ type: 'log', level: 'warn', message: 'hot', context: 'Model' });
    worker.onMessage({ type: 'log', level: 'info', message: 'cold' });
    expect(events).toEqual([
      ['warn', 'hot', 'Model'],
      ['info', 'cold', undefined],
    ]);
  });
});

describe('what clients are told of a worker that died', () => {
  it('is that they may try again, and not how it died', () => {
    const error = workerDied({ error: new Error('segfault in /opt/model'), exitCode: null });
    expect(error).toBeInstanceOf(ServingError);
    expect(error).toMatchObject({ code: 'worker_died', status: 503, retryAfterSeconds: 1 });
    expect(error.message).not.toContain('segfault');
    expect(error.cause).toMatchObject({ message: 'segfault in /opt/model' });
    expect(workerDied({ error: undefined, exitCode: 137 }).cause).toMatchObject({ message: 'exit code 137' });
  });
});
