import { describe, expect, it } from 'vitest';
import { createRegistry, definition, settle } from '../../test/registry-fixture.js';
import type { RegistryState } from './registry-store.js';

/** A registry that was started with this state, and what it has written since. */
async function startWith(state: RegistryState, models = [definition('configured', '1')]) {
  const written: RegistryState[] = [];
  const store = {
    read: async () => state,
    write: async (changed: RegistryState) => void written.push(changed),
  };
  // This file is as good as a model: the worker that loads it is played.
  const fixture = await createRegistry({ store, models, modelRoots: [import.meta.dirname] });
  await fixture.start();
  await expect.poll(() => fixture.registry.registrations.length).toBeGreaterThan(0);
  return { ...fixture, written };
}

const HERE = { module: './restored-models.ts', max_batch_size: 3 };

describe('models that were registered before a restart', () => {
  it('are registered again with what they had last, under the label that they had', async () => {
    const { registry, workers, written } = await startWith(
      { models: [{ name: 'm', version: '7', settings: HERE }] },
      [],
    );
    await settle();
    workers[0]!.load({ version: '8' });
    await settle();
    expect(registry.resolve('m', '7').options.maxBatchSize).toBe(3);
    expect(written).toEqual([]);
  });

  it('give way to what is configured under the same label, and are forgotten', async () => {
    const { registry, workers, written } = await startWith({
      models: [{ name: 'configured', version: '1', settings: HERE }],
    });
    await settle();
    workers[0]!.load();
    await expect.poll(() => written.length).toBe(1);
    expect(written[0]!.models).toEqual([]);
    await settle();
    expect(registry.resolve('configured').options.maxBatchSize).toBe(32);
    expect(registry.registrations).toHaveLength(1);
  });

  it('are listed with the reason when they may not be loaded any more, until they are removed', async () => {
    const gone = { name: 'm', version: '7', settings: { module: '/elsewhere/model.js' } };
    const { registry, written, configured } = await startWith({ models: [gone] }, []);
    expect(registry.registered('m', '7')).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('module must be'),
    });
    expect(configured.status).toEqual([]);
    expect(written).toEqual([]);
    await registry.remove('m', '7');
    expect(written.at(-1)!.models).toEqual([]);
    expect(registry.registrations).toEqual([]);
  });
});
