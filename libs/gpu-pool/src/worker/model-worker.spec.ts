import { describe, expect, it } from 'vitest';
import { events } from '../../test/models/counter.module.js';
import type { FromWorker, ResultMessage, ToWorker } from '../protocol/worker-messages.js';
import { ModelWorker } from './model-worker.js';

const file = (name: string) => new URL(`../../test/models/${name}.ts`, import.meta.url).href;
const PLACE = { device: 'cpu', intraOpThreads: 1 };
const ASSIGNMENT = {
  workerId: 0,
  device: 'cpu',
  model: { name: 'm', version: '1', intraOpThreads: 1 },
  maxBatchCost: undefined,
  maxBatchSize: 4,
  selfCheck: 'refuse' as const,
};

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** A worker on this thread, whose answers are cloned as between threads. */
function createWorker() {
  const answers: FromWorker[] = [];
  let waiting: (() => void) | undefined;
  let closed = false;
  const worker = new ModelWorker({
    post: (message, transfer = []) => {
      answers.push(structuredClone(message, { transfer: [...transfer] }));
      if (message.type !== 'log') waiting?.();
    },
    close: () => {
      closed = true;
    },
    quit: () => {
      closed = true;
    },
    memoryBytes: () => 4096,
  });
  /** Sends a message, and waits for the answer to it. */
  const ask = async (message: ToWorker): Promise<FromWorker> => {
    const answered = new Promise<void>((resolve) => {
      waiting = resolve;
    });
    worker.receive(message);
    await answered;
    return answers.at(-1)!;
  };
  return { worker, ask, answers, isClosed: () => closed };
}

function run(values: readonly unknown[], batch = 1): ToWorker {
  return {
    type: 'run',
    batch,
    values,
    items: values.map(() => ({ requestId: '', parameters: {}, deadline: 0 })),
  };
}

async function startWorker(name: string) {
  const fixture = createWorker();
  expect(await fixture.ask({ type: 'load', source: { specifier: file(name) }, place: PLACE })).toMatchObject({
    type: 'loaded',
  });
  expect(await fixture.ask({ type: 'start', assignment: ASSIGNMENT })).toEqual({
    type: 'ready',
    batchSizeLimit: 4,
  });
  return fixture;
}

describe('the life of a worker', () => {
  it('is to load, to start, to run and to stop', async () => {
    events.length = 0;
    const { ask, isClosed } = await startWorker('counter.module');
    expect(await ask(run(['a', 'b'], 5))).toMatchObject({
      type: 'result',
      batch: 5,
      values: ['m 0 cpu', 'm 0 cpu'],
    });
    expect(await ask({ type: 'stop' })).toEqual({ type: 'stopped' });
    expect(events).toEqual(['constructed', 'set up on cpu', 'destroyed']);
    expect(isClosed()).toBe(true);
  });

  it('ends when its model cannot be loaded, and it says why', async () => {
    const { ask, isClosed } = createWorker();
    const answer = await ask({ type: 'load', source: { specifier: file('no-model') }, place: PLACE });
    expect(answer).toMatchObject({
      type: 'refused',
      error: { message: expect.stringContaining('no export') as string },
    });
    expect(isClosed()).toBe(true);
  });

  it('refuses a batch before its model has started', async () => {
    const { ask } = createWorker();
    expect(await ask(run(['a']))).toMatchObject({
      type: 'failed',
      batch: 1,
      error: { code: 'model_not_ready' },
    });
  });

  it('finishes a batch before it stops', async () => {
    const { worker, ask, answers, isClosed } = await startWorker('troublesome');
    const ran = ask(run(['a'], 1));
    worker.receive({ type: 'stop' });
    await ran;
    await until(isClosed);
    expect(answers.slice(-2).map(({ type }) => type)).toEqual(['result', 'stopped']);
  });

  it('stops although nothing was loaded', async () => {
    const { ask, isClosed } = createWorker();
    expect(await ask({ type: 'stop' })).toEqual({ type: 'stopped' });
    expect(isClosed()).toBe(true);
  });
});

describe('a batch in a worker', () => {
  it.each([
    ['throw', 'handler_failed'],
    ['too few', 'contract_violation'],
    ['text', 'contract_violation'],
    ['throw nothing', 'handler_failed'],
  ])('BC-040 that makes the handler %s fails, and the next one runs', async (item, code) => {
    const { ask } = await startWorker('troublesome');
    expect(await ask(run([item, 'a'], 1))).toMatchObject({ type: 'failed', batch: 1, error: { code } });
    expect(await ask(run(['b'], 2))).toMatchObject({ type: 'result', batch: 2, values: ['did b'] });
  });

  it('BC-026 fails in part where the handler says so, or a result cannot be sent', async () => {
    const { ask } = await startWorker('troublesome');
    const answer = await ask(run(['a', 'fail', 'function', 'b']));
    expect(answer).toMatchObject({ type: 'result', values: ['did a', null, null, 'did b'] });
    const { errors } = answer as ResultMessage;
    expect(Object.fromEntries(errors.map(({ index, error }) => [index, error.code]))).toEqual({
      1: 'invalid_input',
      2: 'contract_violation',
    });
  });
});
