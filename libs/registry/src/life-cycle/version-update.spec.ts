import type { ServingError } from '#model';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRegistry, definition, settle, type RegistryFixture } from '../../test/registry-fixture.js';
import type { ModelRegistry } from '../model-registry.js';
import type { RegistryState } from '../persistence/registry-store.js';

let written: RegistryState[];
let canWrite: boolean;
let fixture: RegistryFixture;
let registry: ModelRegistry;

const store = {
  read: async () => ({ models: [] }),
  write: async (state: RegistryState) => {
    if (!canWrite) throw new Error('no space left');
    written.push(state);
  },
};

beforeEach(async () => {
  written = [];
  canWrite = true;
  fixture = await createRegistry({ store });
  ({ registry } = fixture);
});

async function serve(remember?: Record<string, unknown>) {
  const options = { maxBatchSize: 8, targetLatencyMs: 50 };
  const ready = registry.register(
    { ...definition('m', '1'), options },
    remember === undefined ? {} : { remember },
  );
  await settle();
  fixture.workers.at(-1)!.load({ maxWaitMs: 3 });
  return ready;
}

describe('changing options of a version that serves', () => {
  it('holds for what is decided from then on, and is told', async () => {
    const version = await serve();
    await registry.update('m', '1', { maxQueueSize: 2, window: 'eager' });
    expect(version.options).toMatchObject({ maxBatchSize: 8, maxQueueSize: 2, window: 'eager' });
    fixture.workers[0]!.holds = true;
    const running = version.predict(0);
    await settle();
    const waiting = [version.predict(1), version.predict(2)];
    await expect(version.predict(3)).rejects.toMatchObject({ code: 'queue_full' });
    expect(fixture.events.at(-1)).toEqual({
      type: 'updated',
      name: 'm',
      version: '1',
      options: ['window', 'maxQueueSize'],
    });
    fixture.workers[0]!.release('x');
    await Promise.all([running, ...waiting]);
  });

  it('brings back what the author says, or the default, with null', async () => {
    const version = await serve();
    await registry.update('m', '1', { maxWaitMs: 20 });
    await registry.update('m', '1', { maxWaitMs: null, maxBatchSize: null, targetLatencyMs: null });
    expect(version.options).toMatchObject({ maxWaitMs: 3, maxBatchSize: 32 });
    expect(version.options.targetLatencyMs).toBeUndefined();
  });

  it('is all or nothing', async () => {
    const version = await serve();
    const before = version.options;
    const update = registry.update('m', '1', { maxBatchSize: 2, loadTimeoutMs: 1000, devices: ['cpu'] });
    const refusal = (await update.catch((error: unknown) => error)) as ServingError;
    expect(refusal.code).toBe('invalid_options');
    expect(refusal.faults!.map(({ field }) => field).sort()).toEqual(['devices', 'load_timeout']);
    await expect(registry.update('m', '1', { maxBatchSize: 2, window: 'none' })).rejects.toMatchObject({
      code: 'invalid_options',
    });
    expect(version.options).toBe(before);
  });

  it('starts workers before it settles, and lets them go', async () => {
    const version = await serve();
    const grown = registry.update('m', '1', { workers: 2, maxBatchSize: 4 });
    await settle();
    expect([version.laneCount, version.options.workers, version.options.maxBatchSize]).toEqual([1, 1, 8]);
    fixture.workers[1]!.load();
    await grown;
    expect([version.laneCount, version.options.workers, version.options.maxBatchSize]).toEqual([2, 2, 4]);
    await registry.update('m', '1', { workers: 1 });
    await settle();
    expect([version.laneCount, version.options.workers]).toEqual([1, 1]);
    expect(fixture.workers.map(({ hasEnded }) => hasEnded)).toEqual([false, true]);
  });

  it('changes nothing when a further worker cannot be had', async () => {
    const version = await serve();
    const grown = registry.update('m', '1', { workers: 2, maxBatchSize: 4 }).catch((error: unknown) => error);
    await settle();
    fixture.workers[1]!.refuse('no memory');
    expect(await grown).toMatchObject({ code: 'model_not_loadable' });
    expect([version.laneCount, version.options.workers, version.options.maxBatchSize]).toEqual([1, 1, 8]);
  });

  it('accepts an option that cannot change where it stays as it is', async () => {
    const version = await serve();
    await registry.update('m', '1', { loadTimeoutMs: version.options.loadTimeoutMs, maxBatchSize: 4 });
    expect(version.options.maxBatchSize).toBe(4);
  });

  it('survives a restart with the registration, and is not made where it cannot be saved', async () => {
    const version = await serve({ module: './m.js', max_batch_size: 8, target_latency: 0.05 });
    await registry.update('m', '1', { maxBatchSize: 4, targetLatencyMs: null });
    expect(written.at(-1)!.models).toEqual([
      { name: 'm', version: '1', settings: { module: './m.js', max_batch_size: 4 } },
    ]);
    canWrite = false;
    await expect(registry.update('m', '1', { maxBatchSize: 2 })).rejects.toMatchObject({
      code: 'state_not_saved',
    });
    expect(version.options.maxBatchSize).toBe(4);
  });
});

describe('a registration that cannot be saved', () => {
  it('is refused, and nothing is left of it', async () => {
    canWrite = false;
    const refused = serve({ module: './m.js' }).catch((error: unknown) => error);
    expect(await refused).toMatchObject({ code: 'state_not_saved' });
    await settle();
    expect(registry.registrations).toEqual([]);
    expect(fixture.workers[0]!.hasEnded).toBe(true);
  });

  it('stays when its removal cannot be', async () => {
    const version = await serve({ module: './m.js' });
    canWrite = false;
    await expect(registry.remove('m', '1')).rejects.toMatchObject({ code: 'state_not_saved' });
    expect(registry.resolve('m')).toBe(version);
    expect(await version.predict(1)).toBe(1);
  });
});
