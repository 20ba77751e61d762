import { VirtualClock, type Lane } from '#batching';
import { describe, expect, it } from 'vitest';
import { FakeTransport } from '../../test/fake-transport.js';
import { DeviceInventory } from '../device/device-inventory.js';
import { WorkerPool } from './worker-pool.js';

const OPTIONS = {
  name: 'm',
  version: '1',
  workers: 1,
  loadTimeoutMs: 5000,
  maxBatchSize: 32,
  selfCheck: 'refuse' as const,
};

function createPool(devices = ['cpu']) {
  const clock = new VirtualClock();
  const workers: FakeTransport[] = [];
  const lanes = new Set<Lane<unknown, unknown>>();
  const log: string[] = [];
  const inventory = new DeviceInventory(devices);
  const pool = new WorkerPool(
    { specifier: 'model' },
    {
      clock,
      devices: inventory,
      createTransport: ({ device }) => {
        const worker = new FakeTransport(device);
        workers.push(worker);
        return worker;
      },
      log: (level, message) => log.push(`${level}: ${message}`),
    },
  );
  const sink = {
    addLane: (lane: Lane<unknown, unknown>) => void lanes.add(lane),
    removeLane: (lane: Lane<unknown, unknown>) => void lanes.delete(lane),
    retireLane: (lane: Lane<unknown, unknown>) => void lanes.delete(lane),
  };
  return { clock, workers, lanes, log, pool, sink, inventory };
}

async function startPool(workerCount = 1, devices?: string[]) {
  const fixture = createPool(devices);
  const { clock, workers, pool, sink } = fixture;
  const loaded = pool.load(5000);
  workers[0]!.answerLoad();
  await loaded;
  const started = pool.start({ ...OPTIONS, workers: workerCount }, sink);
  await clock.advance(0);
  for (const worker of workers.slice(1)) worker.answerLoad();
  await clock.advance(0);
  for (const worker of workers) worker.answerStart();
  await started;
  return fixture;
}

describe('a pool of workers', () => {
  it('loads one worker first, and hands out a lane for each that is ready', async () => {
    const { workers, lanes } = await startPool(3);
    expect(workers.map(({ types }) => types)).toEqual([
      ['load', 'start'],
      ['load', 'start'],
      ['load', 'start'],
    ]);
    expect(lanes.size).toBe(3);
    const assigned = workers.map(({ messages }) => messages[1]);
    expect(assigned).toMatchObject(
      [0, 1, 2].map((workerId) => ({ assignment: { workerId, device: 'cpu' } })),
    );
  });

  it('spreads workers over the devices', async () => {
    const { lanes } = await startPool(4, ['cuda:0', 'cuda:1']);
    expect([...lanes].map(({ device }) => device).toSorted()).toEqual([
      'cuda:0',
      'cuda:0',
      'cuda:1',
      'cuda:1',
    ]);
  });

  it('says why a model cannot be loaded', async () => {
    const { workers, pool } = createPool();
    const loaded = pool.load(5000);
    workers[0]!.onMessage({ type: 'refused', error: { name: 'Error', message: 'no such export' } });
    await expect(loaded).rejects.toMatchObject({
      code: 'model_not_loadable',
      message: 'the model cannot be loaded: no such export',
    });
  });

  it('gives up a load that takes too long', async () => {
    const { clock, pool } = createPool();
    const loaded = pool.load(5000).catch((error: Error) => error.message);
    await clock.advance(5000);
    expect(await loaded).toContain('longer than 5 s');
  });

  it('BC-104 takes out the lane of a worker that dies, and replaces it', async () => {
    const { clock, workers, lanes, log } = await startPool();
    await clock.advance(60_000);
    workers[0]!.die();
    expect(lanes.size).toBe(0);
    expect(log.at(-1)).toContain('error: worker 0 died: exit code 1');
    await clock.advance(100);
    workers[1]!.answerLoad();
    await clock.advance(0);
    workers[1]!.answerStart();
    await clock.advance(0);
    expect(lanes.size).toBe(1);
  });

  it('BC-049 waits longer and longer for a model that dies at every start', async () => {
    const { clock, workers } = await startPool();
    const startedAt: number[] = [];
    for (let death = 0; death < 5; death++) {
      const known = workers.length;
      workers.at(-1)!.die();
      while (workers.length === known) await clock.advance(50);
      startedAt.push(clock.now());
    }
    const delays = startedAt.map((time, index) => time - (startedAt[index - 1] ?? 0));
    expect(delays).toEqual([100, 200, 400, 800, 1600]);
  });

  it('stops its workers, also one that still loads, and starts no other', async () => {
    const { clock, workers, pool, sink } = createPool();
    const loaded = pool.load(5000);
    workers[0]!.answerLoad();
    await loaded;
    const started = pool
      .start({ ...OPTIONS, workers: 2 }, sink)
      .catch((error: { code: string }) => error.code);
    await clock.advance(0);
    const stopped = pool.stop();
    expect(workers.map(({ types }) => types.at(-1))).toEqual(['stop', 'stop']);
    for (const worker of workers) worker.die(0);
    await stopped;
    expect(await started).toBe('model_not_loadable');
    await clock.advance(60_000);
    expect(workers).toHaveLength(2);
  });

  it('gives back the places of its workers', async () => {
    const { workers, pool, inventory } = await startPool(2, ['cuda:0', 'cuda:1']);
    const stopped = pool.stop();
    for (const worker of workers) worker.die(0);
    await stopped;
    expect([inventory.acquire(), inventory.acquire()].toSorted()).toEqual(['cuda:0', 'cuda:1']);
  });
});

describe('a pool that is resized', () => {
  it('has the further workers serve before it settles', async () => {
    const { clock, workers, lanes, pool } = await startPool(1);
    const resized = pool.resize(3);
    await clock.advance(0);
    expect(workers).toHaveLength(3);
    for (const worker of workers.slice(1)) worker.answerLoad();
    await clock.advance(0);
    for (const worker of workers.slice(1)) worker.answerStart();
    await resized;
    expect(lanes.size).toBe(3);
    expect(workers[2]!.messages[1]).toMatchObject({ assignment: { workerId: 2 } });
  });

  it('is as before when one of them cannot be had', async () => {
    const { clock, workers, lanes, pool } = await startPool(1);
    const resized = pool.resize(3).catch((error: unknown) => error);
    await clock.advance(0);
    workers[1]!.answerLoad();
    workers[2]!.die();
    await clock.advance(0);
    workers[1]!.answerStart();
    expect(await resized).toMatchObject({ code: 'model_not_loadable' });
    expect(lanes.size).toBe(1);
    expect(workers[1]!.types.at(-1)).toBe('stop');
    workers[1]!.die(0);
    await clock.advance(60_000);
    expect(workers).toHaveLength(3);
  });

  it('lets the last ones go, and does not replace them', async () => {
    const { clock, workers, lanes, pool, inventory } = await startPool(3);
    await pool.resize(1);
    expect(lanes.size).toBe(1);
    expect(workers.map(({ types }) => types.at(-1))).toEqual(['start', 'stop', 'stop']);
    for (const worker of workers.slice(1)) worker.die(0);
    await clock.advance(60_000);
    expect(workers).toHaveLength(3);
    expect(inventory.plannedWorkers).toBe(1);
  });

  it('gives a place that was given up and taken again a worker of its own', async () => {
    const { clock, workers, lanes, pool } = await startPool(2);
    await pool.resize(1);
    const resized = pool.resize(2);
    await clock.advance(0);
    workers[2]!.answerLoad();
    await clock.advance(0);
    workers[2]!.answerStart();
    await resized;
    // The one that left ends only now: that is no death of its successor.
    workers[1]!.die(0);
    await clock.advance(60_000);
    expect(lanes.size).toBe(2);
    expect(workers).toHaveLength(3);
  });
});
