import { VirtualClock } from '#batching';
import { expect, it, vi } from 'vitest';
import { FakeTransport } from '../../test/fake-transport.js';
import { DeviceInventory } from '../device/device-inventory.js';
import { WorkerPool } from './worker-pool.js';

const CORES = 12;
vi.mock('node:os', () => ({ availableParallelism: () => CORES }));

const clock = new VirtualClock();
const ignore = () => undefined;
const sink = { addLane: ignore, removeLane: ignore, retireLane: ignore };

/** Begins to load a model; what it returns ends that. */
async function begin(devices: DeviceInventory, workers: number) {
  const transports: FakeTransport[] = [];
  const createTransport = () => {
    const transport = new FakeTransport();
    transports.push(transport);
    return transport;
  };
  const pool = new WorkerPool({ specifier: 'model' }, { clock, devices, createTransport, log: ignore });
  const loaded = pool.load(5000, {}, workers);
  const options = {
    name: 'm',
    version: '1',
    loadTimeoutMs: 5000,
    maxBatchSize: 1,
    selfCheck: 'off' as const,
  };
  const finish = async () => {
    transports[0]!.answerLoad();
    await loaded;
    const started = pool.start({ ...options, workers }, sink);
    await clock.advance(0);
    for (const transport of transports.slice(1)) transport.answerLoad();
    await clock.advance(0);
    for (const transport of transports) transport.answerStart();
    await started;
    return { given: transports.flatMap(threadsOf), stop };
  };
  const stop = async () => {
    const stopped = pool.stop();
    for (const transport of transports) transport.die(0);
    await stopped;
  };
  return finish;
}

/** How many threads a worker was given, when it loaded and when it started. */
function threadsOf({ messages }: FakeTransport): number[] {
  return messages.flatMap((message) => {
    if (message.type === 'load') return [message.place.intraOpThreads];
    return message.type === 'start' ? [message.assignment.model.intraOpThreads] : [];
  });
}

const start = async (devices: DeviceInventory, workers: number) => (await begin(devices, workers))();

it(`${CORES} cores are shared among the workers of all models on the machine, at least one each`, async () => {
  // Whichever device they are on: the cores are the same.
  const devices = new DeviceInventory(['cuda:0', 'cuda:1']);
  const first = await start(devices, 1);
  expect(first.given).toEqual([12, 12]);
  const second = await start(devices, 2);
  expect(second.given).toEqual([4, 4, 4, 4]);
  const third = await start(devices, 20);
  expect(new Set(third.given)).toEqual(new Set([1]));
  await Promise.all([second.stop(), third.stop()]);
  const fourth = await start(devices, 1);
  expect(fourth.given).toEqual([6, 6]);
});

it('models that are loaded at the same time leave each other room, also for workers that have not been started', async () => {
  const devices = new DeviceInventory(['cpu']);
  const [small, large] = [await begin(devices, 1), await begin(devices, 3)];
  expect((await small()).given).toEqual([12, 3]);
  expect((await large()).given).toEqual([3, 3, 3, 3, 3, 3]);
});
