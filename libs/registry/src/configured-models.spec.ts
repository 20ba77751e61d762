import { describe, expect, it } from 'vitest';
import { createRegistry, createRegistryOf, definition, settle } from '../test/registry-fixture.js';
import { RegistryModule } from './registry.module.js';

describe('BC-112 configured models', () => {
  it('are required, but for those that say otherwise; those that come later only where they say so', async () => {
    const models = [definition('a', '1'), { ...definition('b', '1'), required: false }];
    const { registry, configured, start, workers } = await createRegistry({ models });
    expect(configured.status.map(({ state }) => state)).toEqual(['loading', 'loading']);
    await start();
    await settle();
    for (const worker of workers) worker.load();
    await settle();
    for (const later of [definition('c', '1'), { ...definition('d', '1'), required: true }]) {
      const registered = registry.register(later);
      await settle();
      workers.at(-1)!.load();
      await registered;
    }
    const standing = () =>
      configured.status.map(
        ({ name, required, state }) => `${name} ${required ? 'required' : 'not'} ${state}`,
      );
    expect(standing()).toEqual(['a required ready', 'b not ready', 'd required ready']);
    await registry.remove('a', '1');
    await registry.remove('d', '1');
    expect(standing()).toEqual(['a required removed', 'b not ready']);
  });

  it('are what has taken their place, when an operator has replaced them', async () => {
    const { registry, configured, start, workers } = await createRegistry({ models: [definition('a', '1')] });
    await start();
    await settle();
    workers[0]!.refuse('no weights');
    await settle();
    expect(configured.status).toMatchObject([{ state: 'failed', required: true }]);
    const registered = registry.register(definition('a', '1'), { replace: true });
    await settle();
    workers[1]!.load();
    await registered;
    expect(configured.status).toMatchObject([{ state: 'ready', lanes: 1, required: true }]);
  });

  it('do not end the start when their label is taken', async () => {
    const { registry, configured, start, workers } = await createRegistry({ models: [definition('a', '1')] });
    const registered = registry.register(definition('a', '1'));
    await settle();
    workers[0]!.load();
    await registered;
    await start();
    await settle();
    // Whoever it is: the model that the server must have is there.
    expect(configured.status).toMatchObject([{ state: 'ready' }]);
  });

  it('may come from a configuration that takes its time', async () => {
    const useFactory = async () => {
      await settle();
      return { models: [definition('a', '1')] };
    };
    const { configured, start, workers } = await createRegistryOf(
      RegistryModule.forRootAsync({ useFactory }),
    );
    await start();
    await settle();
    workers[0]!.load();
    await settle();
    expect(configured.status).toMatchObject([{ name: 'a', state: 'ready' }]);
  });
});
