import { describe, expect, it } from 'vitest';
import type { RegistryState, RegistryStore } from './registry-store.js';
import { RememberedModels } from './remembered-models.js';
import { StoredState } from './stored-state.js';

/** A store whose writes end when the test says so. */
class HeldStore implements RegistryStore {
  readonly written: RegistryState[] = [];
  readonly pending: { end: () => void; fail: () => void }[] = [];

  constructor(private readonly initial: RegistryState = { models: [] }) {}

  async read(): Promise<RegistryState> {
    return this.initial;
  }

  write(state: RegistryState): Promise<void> {
    return new Promise((resolve, reject) => {
      this.pending.push({
        end: () => {
          this.written.push(state);
          resolve();
        },
        fail: () => reject(new Error('no space left')),
      });
    });
  }
}

async function remembering(store: HeldStore) {
  const state = new StoredState(store);
  await state.onModuleInit();
  return { state, models: new RememberedModels(state) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('models that a restart registers again', () => {
  it('are written one change after the other, each on what the one before has left', async () => {
    const store = new HeldStore();
    const { models } = await remembering(store);
    const kept = Promise.all([models.keep('a', '1', { n: 1 }), models.keep('b', '1', { n: 2 })]);
    await turn();
    expect(store.pending).toHaveLength(1);
    store.pending[0]!.end();
    await turn();
    store.pending[1]!.end();
    await kept;
    expect(store.written.at(-1)!.models.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('are as before when a change cannot be written, and later changes go on from there', async () => {
    const store = new HeldStore();
    const { models } = await remembering(store);
    const failed = models.keep('a', '1', {}).catch((error: unknown) => error);
    const kept = models.keep('b', '1', {});
    await turn();
    store.pending[0]!.fail();
    expect(await failed).toMatchObject({ code: 'state_not_saved', status: 500 });
    expect(models.all).toEqual([]);
    await turn();
    store.pending[1]!.end();
    await kept;
    expect(models.all.map(({ name }) => name)).toEqual(['b']);
  });

  it('are not written again when nothing changes', async () => {
    const store = new HeldStore();
    const { models } = await remembering(store);
    await models.forget('nobody', '1');
    await models.keep('configured', '1', undefined);
    await models.change('configured', '1', (settings) => ({ ...settings, workers: 2 }));
    expect(store.pending).toEqual([]);
  });

  it('go when something else takes their label, and leave what else is kept alone', async () => {
    const kept = { models: [{ name: 'a', version: '1', settings: {} }], traffic: { a: 1 } };
    const store = new HeldStore(kept);
    const { models, state } = await remembering(store);
    const gone = models.keep('a', '1', undefined);
    await turn();
    store.pending[0]!.end();
    await gone;
    expect(state.current).toEqual({ models: [], traffic: { a: 1 } });
  });
});
