import { DynamicBatcher, EagerWindow, VirtualClock } from '#batching';
import { describe, expect, it } from 'vitest';
import { FakeTransport } from '../../test/fake-transport.js';
import { DeviceInventory } from '../device/device-inventory.js';
import { WorkerPool } from './worker-pool.js';
import type { WorkerPoolOptions } from './worker-pool-options.js';

/** A process that the test plays. */
class FakeProcess extends FakeTransport {
  kill(): void {
    this.onExit({ error: undefined, exitCode: null, signal: 'SIGKILL' });
  }
}

const outcomeOf = (promise: Promise<unknown>) => promise.catch((error: { code: string }) => error.code);
const lastRun = (worker: FakeTransport) => worker.messages.findLast(({ type }) => type === 'run');

async function startPool(options: Partial<WorkerPoolOptions> = {}) {
  const clock = new VirtualClock();
  const workers: FakeTransport[] = [];
  const restarts: string[] = [];
  const batcher = new DynamicBatcher<unknown, unknown>(
    {
      maxBatchSize: 1,
      maxWaitMs: 0,
      maxQueueSize: 100,
      timeoutMs: 600_000,
      runTimeoutMs: 1000,
      window: new EagerWindow(),
    },
    clock,
  );
  const pool = new WorkerPool(
    { specifier: 'model' },
    {
      clock,
      devices: new DeviceInventory(['cpu']),
      createTransport: ({ device, isolation }) => {
        const worker = isolation === 'process' ? new FakeProcess(device) : new FakeTransport(device);
        workers.push(worker);
        return worker;
      },
      log: () => undefined,
      restarted: (reason) => restarts.push(reason),
    },
  );
  const bringUp = async (worker: FakeTransport) => {
    worker.answerLoad();
    await clock.advance(0);
    worker.answerStart();
    await clock.advance(0);
  };
  const all = {
    name: 'm',
    version: '1',
    workers: 1,
    loadTimeoutMs: 5000,
    maxBatchSize: 1,
    selfCheck: 'off' as const,
    ...options,
  };
  const loaded = pool.load(5000, all);
  workers[0]!.answerLoad();
  await loaded;
  const started = pool.start(all, batcher);
  workers[0]!.answerStart();
  await started;
  return { clock, workers, restarts, batcher, pool, bringUp };
}

describe('a worker that hangs', () => {
  it('is told to end when it comes back, and another stands beside it', async () => {
    const { clock, workers, restarts, batcher, pool, bringUp } = await startPool();
    const result = outcomeOf(batcher.submit('a'));
    await clock.advance(1000);
    expect(await result).toBe('run_timeout');
    expect(workers[0]!.types.at(-1)).toBe('quit');
    expect([pool.hungCount, batcher.laneCount, restarts]).toEqual([1, 0, ['hung']]);
    expect(pool.trouble).toContain('hangs');
    await clock.advance(100);
    await bringUp(workers[1]!);
    expect([batcher.laneCount, pool.trouble]).toEqual([1, undefined]);
    workers[0]!.die(0);
    await clock.advance(60_000);
    expect([pool.hungCount, batcher.laneCount, workers.length]).toEqual([0, 1, 2]);
  });

  it('is killed when it is a process', async () => {
    const { clock, workers, batcher, pool } = await startPool({ isolation: 'process' });
    const result = outcomeOf(batcher.submit('a'));
    await clock.advance(1000);
    expect([await result, pool.hungCount]).toEqual(['run_timeout', 0]);
    await clock.advance(100);
    expect(workers).toHaveLength(2);
  });

  it('P5 is not replaced when too many hang, until one comes back', async () => {
    const { clock, workers, batcher, bringUp } = await startPool();
    for (let hung = 0; hung < 2; hung++) {
      void outcomeOf(batcher.submit('a'));
      await clock.advance(1000);
      await clock.advance(30_000);
      if (hung === 0) await bringUp(workers[1]!);
    }
    await clock.advance(600_000);
    expect([workers.length, batcher.laneCount]).toEqual([2, 0]);
    workers[0]!.die(0);
    await clock.advance(60_000);
    expect(workers).toHaveLength(3);
  });
});

describe('BC-110 a worker that is due', () => {
  it('by batches ends when its successor is ready, and not before', async () => {
    const { clock, workers, restarts, batcher, bringUp } = await startPool({ recycleBatches: 1 });
    const first = batcher.submit('a');
    await clock.advance(0);
    workers[0]!.answerRun();
    expect(await first).toBe('a');
    const second = batcher.submit('b');
    await clock.advance(0);
    expect([workers.length, batcher.laneCount]).toEqual([2, 1]);
    expect(workers[0]!.types).not.toContain('stop');
    await bringUp(workers[1]!);
    expect([restarts, batcher.laneCount]).toEqual([['recycled'], 1]);
    expect(workers[0]!.types.slice(-2)).toEqual(['run', 'stop']);
    workers[0]!.answerRun();
    expect(await second).toBe('b');
    workers[0]!.die(0);
    const third = batcher.submit('c');
    await clock.advance(0);
    expect(lastRun(workers[1]!)).toMatchObject({ values: ['c'] });
    workers[1]!.answerRun();
    expect(await third).toBe('c');
  });

  it('by age is replaced also while it is idle', async () => {
    const { clock, workers } = await startPool({ recycleAgeMs: 60_000 });
    await clock.advance(59_999);
    expect(workers).toHaveLength(1);
    await clock.advance(1);
    expect(workers).toHaveLength(2);
  });

  it('by memory is replaced, though not in its first seconds', async () => {
    const { clock, workers } = await startPool({ recycleMemoryBytes: 1000 });
    workers[0]!.onMessage({ type: 'memory', bytes: 1001 });
    expect(workers).toHaveLength(1);
    await clock.advance(10_000);
    workers[0]!.onMessage({ type: 'memory', bytes: 1001 });
    expect(workers).toHaveLength(2);
  });

  it('serves on when its successor cannot be had', async () => {
    const { clock, workers, batcher } = await startPool({ recycleAgeMs: 60_000 });
    await clock.advance(60_000);
    workers[1]!.onMessage({ type: 'refused', error: { name: 'Error', message: 'no' } });
    workers[1]!.die(0);
    await clock.advance(0);
    const served = batcher.submit('a');
    await clock.advance(0);
    workers[0]!.answerRun();
    expect(await served).toBe('a');
  });
});
