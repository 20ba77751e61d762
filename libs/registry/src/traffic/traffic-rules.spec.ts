import { beforeEach, describe, expect, it } from 'vitest';
import { createRegistry, definition, settle, type RegistryFixture } from '../../test/registry-fixture.js';
import type { Traffic } from './traffic.js';
import type { RegistryState, RegistryStore } from '../persistence/registry-store.js';

/** Keeps the state in memory, and refuses to when it is told to. */
class MemoryStore implements RegistryStore {
  isFull = false;

  constructor(public state: RegistryState = { models: [] }) {}

  async read(): Promise<RegistryState> {
    return this.state;
  }

  async write(state: RegistryState): Promise<void> {
    if (this.isFull) throw new Error('no space left');
    this.state = state;
  }
}

async function start(
  store: RegistryStore,
  traffic: Readonly<Record<string, Traffic>> = {},
): Promise<RegistryFixture> {
  const fixture = await createRegistry({ store, traffic });
  await fixture.start();
  return fixture;
}

async function serve({ registry, workers }: RegistryFixture, version: string): Promise<void> {
  const ready = registry.register(definition('m', version));
  await settle();
  workers.at(-1)!.load();
  await ready;
}

const chosen = ({ registry }: RegistryFixture) => registry.resolve('m').version;

describe('traffic rules', () => {
  let store: MemoryStore;
  let fixture: RegistryFixture;

  beforeEach(async () => {
    store = new MemoryStore();
    fixture = await start(store);
    for (const version of ['1', '2']) await serve(fixture, version);
  });

  it('hold from when they are set until they are taken away', async () => {
    const { traffic } = fixture;
    await traffic.set('m', { default: '1' });
    expect(chosen(fixture)).toBe('1');
    expect(store.state.traffic).toEqual({ m: { default: '1' } });
    await traffic.clear('m');
    expect(chosen(fixture)).toBe('2');
    expect(store.state.traffic).toEqual({});
  });

  it('that cannot be saved do not hold, and the old ones do', async () => {
    const { traffic } = fixture;
    await traffic.set('m', { default: '1' });
    store.isFull = true;
    await expect(traffic.set('m', { default: '2' })).rejects.toMatchObject({ code: 'state_not_saved' });
    await expect(traffic.clear('m')).rejects.toMatchObject({ code: 'state_not_saved' });
    expect(chosen(fixture)).toBe('1');
  });

  it('stay while a version that they name is replaced', async () => {
    await fixture.traffic.set('m', { default: '1' });
    const replaced = fixture.registry.register(definition('m', '1'), { replace: true });
    await settle();
    expect(chosen(fixture)).toBe('1');
    fixture.workers.at(-1)!.load();
    await replaced;
    expect(chosen(fixture)).toBe('1');
  });

  it('BC-086 end with the last version of their model', async () => {
    const { registry, traffic } = fixture;
    await traffic.set('m', { default: '1' });
    await registry.remove('m', '1');
    expect(chosen(fixture)).toBe('2');
    expect(traffic.get('m')).toEqual({ pinned: '1' });
    await registry.remove('m', '2');
    await settle();
    expect(store.state.traffic).toEqual({});
    await serve(fixture, '1');
    expect(traffic.get('m')).toBeUndefined();
  });

  it('after a restart wait for their versions: no other one gets what was meant for them', async () => {
    await fixture.traffic.set('m', { default: '1' });
    const restarted = await start(store);
    const late = restarted.registry.register(definition('m', '1'));
    await settle();
    const first = restarted.workers.at(-1)!;
    const other = restarted.registry.begin(definition('m', '2'));
    first.refuse('not this time');
    await expect(late).rejects.toThrow('not this time');
    await settle();
    restarted.workers.at(-1)!.load();
    await other.ready;
    // It is gone, and not on its way.
    expect(chosen(restarted)).toBe('2');
    const again = restarted.registry.begin(definition('m', '1'));
    await settle();
    expect(() => chosen(restarted)).toThrow('that its traffic rules name is loading');
    expect(restarted.traffic.shares('m')).toEqual({});
    expect(restarted.registry.resolve('m', '2').version).toBe('2');
    restarted.workers.at(-1)!.load();
    await again.ready;
    expect(chosen(restarted)).toBe('1');
  });

  it('that are configured hold from the start, in the place of those that were set before', async () => {
    store.state = { models: [], traffic: { m: { default: '2' }, other: { default: '1' } } };
    const restarted = await start(store, { m: { pinned: '1' } });
    for (const version of ['1', '2']) await serve(restarted, version);
    expect(chosen(restarted)).toBe('1');
    expect(store.state.traffic).toEqual({ other: { default: '1' } });
    await restarted.traffic.set('m', { default: '2' });
    expect(chosen(restarted)).toBe('2');
  });

  it('that were saved and cannot be read are left out, and the others hold', async () => {
    store.state = { models: [], traffic: { m: { default: '1' }, broken: { weights: 'half' } } };
    const restarted = await start(store);
    for (const version of ['1', '2']) await serve(restarted, version);
    expect(chosen(restarted)).toBe('1');
    expect(restarted.traffic.get('m')).toEqual({ pinned: '1' });
  });
});
