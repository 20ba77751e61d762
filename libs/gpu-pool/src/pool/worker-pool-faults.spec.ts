import { DynamicBatcher, EagerWindow, VirtualClock } from '#batching';
import { describe, expect, it } from 'vitest';
import { FakeTransport } from '../../test/fake-transport.js';
import { DeviceInventory } from '../device/device-inventory.js';
import { WorkerPool } from './worker-pool.js';
import type { WorkerPoolOptions } from './worker-pool-options.js';

const OPTIONS: WorkerPoolOptions = {
  name: 'm',
  version: '1',
  workers: 1,
  loadTimeoutMs: 5000,
  maxBatchSize: 32,
  selfCheck: 'refuse' as const,
};

/** A pool whose lanes serve a real batcher, on workers that the test plays. */
function createPool(devices = ['cpu']) {
  const clock = new VirtualClock();
  const workers: FakeTransport[] = [];
  const log: string[] = [];
  const batcher = new DynamicBatcher<unknown, unknown>(
    { maxBatchSize: 4, maxWaitMs: 0, maxQueueSize: 100, timeoutMs: 600_000, window: new EagerWindow() },
    clock,
  );
  const pool = new WorkerPool(
    { specifier: 'model' },
    {
      clock,
      devices: new DeviceInventory(devices),
      createTransport: ({ device }) => {
        const worker = new FakeTransport(device);
        workers.push(worker);
        return worker;
      },
      log: (level, message) => log.push(`${level}: ${message}`),
    },
  );
  const bringUp = async (worker: FakeTransport) => {
    worker.answerLoad();
    await clock.advance(0);
    worker.answerStart();
    await clock.advance(0);
  };
  return { clock, workers, log, batcher, pool, bringUp };
}

async function startPool(options = OPTIONS, devices = ['cpu']) {
  const fixture = createPool(devices);
  const { clock, workers, pool, batcher } = fixture;
  const loaded = pool.load(5000);
  workers[0]!.answerLoad();
  await loaded;
  const started = pool.start(options, batcher);
  for (let worker = 1; worker < options.workers; worker++) {
    await clock.advance(0);
    workers[worker]!.answerLoad();
  }
  await clock.advance(0);
  for (const worker of workers) worker.answerStart();
  await started;
  return fixture;
}

const runsOf = ({ messages }: FakeTransport) =>
  messages.filter((message) => message.type === 'run').map(({ values }) => values);

const outcomeOf = (promise: Promise<unknown>) => promise.catch((error: { code: string }) => error.code);

describe('a worker that dies', () => {
  it('BC-104, BC-043 costs whoever kills it twice an answer, and nobody else', async () => {
    const { clock, workers, batcher, bringUp } = await startPool();
    const inFlight = Promise.all(['a', 'b'].map((value) => outcomeOf(batcher.submit(value))));
    await clock.advance(0);
    expect(runsOf(workers[0]!)).toEqual([['a', 'b']]);
    workers[0]!.die(137);
    expect(batcher.laneCount).toBe(0);
    await clock.advance(100);
    await bringUp(workers[1]!);
    expect(batcher.laneCount).toBe(1);
    expect(runsOf(workers[1]!)).toEqual([['a']]);
    workers[1]!.die(137);
    await clock.advance(200);
    await bringUp(workers[2]!);
    expect(runsOf(workers[2]!)).toEqual([['b']]);
    workers[2]!.answerRun();
    expect(await inFlight).toEqual(['worker_died', 'b']);
  });

  it('is replaced at once when it had answered a batch, however often the others had died before', async () => {
    const { clock, workers, batcher, bringUp } = await startPool();
    for (const delay of [100, 200, 400]) {
      workers.at(-1)!.die();
      await clock.advance(delay);
      await bringUp(workers.at(-1)!);
    }
    const served = batcher.submit('a');
    await clock.advance(0);
    workers.at(-1)!.answerRun();
    expect(await served).toBe('a');
    const known = workers.length;
    workers.at(-1)!.die();
    await clock.advance(100);
    expect(workers).toHaveLength(known + 1);
  });

  it('is replaced at once when it had run for a while, however often the others had died before', async () => {
    const { clock, workers, bringUp } = await startPool();
    for (const delay of [100, 200, 400]) {
      workers.at(-1)!.die();
      await clock.advance(delay);
      await bringUp(workers.at(-1)!);
    }
    await clock.advance(10_000);
    const known = workers.length;
    workers.at(-1)!.die();
    await clock.advance(100);
    expect(workers).toHaveLength(known + 1);
  });

  it('takes only its own lane out', async () => {
    const { workers, batcher } = await startPool({ ...OPTIONS, workers: 3 });
    workers[1]!.die();
    expect(batcher.laneCount).toBe(2);
  });

  it('keeps its number and gets its device again', async () => {
    const { clock, workers, bringUp } = await startPool({ ...OPTIONS, workers: 2 }, ['cuda:0', 'cuda:1']);
    const assignmentOf = (worker: FakeTransport) => worker.messages.find(({ type }) => type === 'start');
    const before = assignmentOf(workers[1]!);
    workers[1]!.die();
    await clock.advance(100);
    await bringUp(workers[2]!);
    expect(assignmentOf(workers[2]!)).toEqual(before);
  });

  it('is not replaced once the pool stops, even when its time had come', async () => {
    const { clock, workers, pool } = await startPool();
    workers[0]!.die();
    await pool.stop();
    await clock.advance(0);
    expect(clock.pending).toBe(0);
    await clock.advance(60_000);
    expect(workers).toHaveLength(1);
  });

  it('while the model is loaded for the first time, ends the load and is not replaced', async () => {
    const { clock, workers, pool } = createPool();
    const loaded = pool.load(5000);
    workers[0]!.die(1);
    await expect(loaded).rejects.toMatchObject({
      code: 'model_not_loadable',
      message: 'the model cannot be loaded: the worker ended: exit code 1',
    });
    await clock.advance(60_000);
    expect(workers).toHaveLength(1);
  });
});

describe('a replacement that cannot be had', () => {
  it('BC-049 is tried again after a longer wait when its worker refuses', async () => {
    const { clock, workers, log } = await startPool();
    workers[0]!.die();
    await clock.advance(100);
    workers[1]!.onMessage({ type: 'refused', error: { name: 'Error', message: 'no memory' } });
    workers[1]!.die(0);
    await clock.advance(0);
    expect(log).toContainEqual(expect.stringContaining('worker 0 could not be replaced'));
    expect(log.join()).toContain('no memory');
    await clock.advance(199);
    expect(workers).toHaveLength(2);
    await clock.advance(1);
    expect(workers).toHaveLength(3);
  });

  it('BC-041 is tried again also when it hangs while it loads', async () => {
    const { clock, workers } = await startPool();
    workers[0]!.die();
    await clock.advance(100);
    expect(workers).toHaveLength(2);
    await clock.advance(120_000);
    expect(workers.length).toBeGreaterThan(2);
  });

  it('BC-041 serves after all, or is told to end, when it loads after its time', async () => {
    const { clock, workers, batcher, bringUp } = await startPool();
    workers[0]!.die();
    await clock.advance(100);
    await clock.advance(OPTIONS.loadTimeoutMs);
    await bringUp(workers[1]!);
    expect(batcher.laneCount === 1 || workers[1]!.types.includes('quit')).toBe(true);
  });
});

describe('loading a model', () => {
  it('says that a device is not there as it says every other reason', async () => {
    const { pool } = createPool(['cpu']);
    await expect(pool.load(5000, { devices: ['cuda:7'] })).rejects.toMatchObject({
      code: 'model_not_loadable',
      message: expect.stringContaining("'cuda:7'") as string,
    });
  });

  it('runs every worker on a device that the model names, also when the first one stood elsewhere', async () => {
    const { clock, workers, pool, batcher, bringUp } = createPool(['cuda:0', 'cuda:1']);
    const loaded = pool.load(5000);
    workers[0]!.answerLoad();
    await loaded;
    const started = pool.start({ ...OPTIONS, workers: 2, devices: ['cuda:1'] }, batcher);
    await clock.advance(0);
    expect(workers[0]!.types).toEqual(['load', 'stop']);
    workers[0]!.die(0);
    for (const worker of workers.slice(1)) await bringUp(worker);
    await started;
    const used = workers.slice(1).map(({ messages }) => messages.find(({ type }) => type === 'start'));
    expect(used).toMatchObject([{ assignment: { device: 'cuda:1' } }, { assignment: { device: 'cuda:1' } }]);
    expect(batcher.laneCount).toBe(2);
  });

  it('leaves no timer behind', async () => {
    const { clock } = await startPool({ ...OPTIONS, workers: 2 });
    await clock.advance(0);
    expect(clock.pending).toBe(0);
  });

  it('fails the start when one of several workers takes too long', async () => {
    const { clock, workers, pool, batcher } = createPool();
    const loaded = pool.load(5000);
    workers[0]!.answerLoad();
    await loaded;
    const started = pool.start({ ...OPTIONS, workers: 2 }, batcher).catch((error: unknown) => error);
    await clock.advance(0);
    workers[0]!.answerStart();
    await clock.advance(5000);
    expect(await started).toMatchObject({
      code: 'model_not_loadable',
      message: 'the model cannot be loaded: it took longer than 5 s',
    });
  });
});
