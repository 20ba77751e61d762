import { register } from 'prom-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRegistry, definition, settle, type RegistryFixture } from '../test/registry-fixture.js';
import type { ModelRegistry } from './model-registry.js';

let fixture: RegistryFixture;
let registry: ModelRegistry;

beforeEach(async () => {
  fixture = await createRegistry();
  ({ registry } = fixture);
});

/** Registers a model and plays the worker that loads it. */
async function serve(name: string, version?: string, options = {}) {
  const ready = registry.register(definition(name, version), options);
  await settle();
  fixture.workers.at(-1)!.load();
  return ready;
}

/** What a call fails with. */
function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function states(): string[] {
  return registry.registrations.map(({ version, state }) => `${version ?? '?'} ${state}`);
}

describe('registering', () => {
  it('shows a model as loading, then as ready', async () => {
    const { registration, ready } = registry.begin(definition('m', '2'));
    expect(states()).toEqual(['2 loading']);
    expect(() => registry.resolve('m')).toThrow("model 'm' is loading");
    await settle();
    fixture.workers[0]!.load();
    const version = await ready;
    expect(registry.resolve('m')).toBe(version);
    expect(registration.state).toBe('ready');
    expect(fixture.eventTypes()).toEqual(['registered', 'ready']);
  });

  it('BC-087 of twenty identical calls at once loads the model once, and refuses the others', async () => {
    const calls = Array.from({ length: 20 }, () => registry.register(definition('m', '1')));
    const settled = Promise.allSettled(calls);
    await settle();
    fixture.workers[0]!.load();
    const outcomes = (await settled).map((each) =>
      each.status === 'fulfilled' ? 'ok' : (each.reason as { code: string }).code,
    );
    expect(outcomes).toEqual(['ok', ...Array.from({ length: 19 }, () => 'model_exists')]);
    expect(fixture.workers).toHaveLength(1);
    expect(states()).toEqual(['1 ready']);
  });

  it('BC-087 of twenty identical calls that leave the version to the model serves the first that loads, and loads no more', async () => {
    const calls = Array.from({ length: 20 }, () => registry.register(definition('m')));
    const settled = Promise.allSettled(calls);
    await settle();
    fixture.workers[0]!.refuse('not this time');
    await settle();
    fixture.workers[1]!.load();
    const outcomes = (await settled).map((each) =>
      each.status === 'fulfilled' ? 'ok' : (each.reason as { code: string }).code,
    );
    const others = Array.from({ length: 18 }, () => 'model_exists');
    expect(outcomes).toEqual(['model_not_loadable', 'ok', ...others]);
    expect(fixture.workers).toHaveLength(2);
  });

  it('BC-087 finds out about a version that only the model knows, once it has loaded', async () => {
    await serve('m', '1');
    const again = registry.register(definition('m'));
    const refused = errorOf(again);
    await settle();
    fixture.workers[1]!.load({ version: '1' });
    expect(await refused).toMatchObject({ code: 'model_exists' });
    await settle();
    expect(fixture.workers.map(({ hasEnded }) => hasEnded)).toEqual([false, true]);
    expect(states()).toEqual(['1 ready']);
  });

  it('BC-089 leaves nothing of a model that cannot be loaded', async () => {
    const failed = errorOf(registry.register(definition('m')));
    await settle();
    fixture.workers[0]!.refuse('no weights');
    expect(await failed).toMatchObject({
      code: 'model_not_loadable',
      message: 'the model cannot be loaded: no weights',
    });
    expect(registry.registrations).toEqual([]);
    expect(() => registry.resolve('m')).toThrow("there is no model 'm'");
    expect(await register.metrics()).not.toContain('model="m"');
    expect(fixture.eventTypes()).toEqual(['registered', 'failed']);
  });

  it('keeps a failure that somebody wants to look up, until the model is registered again', async () => {
    const { ready } = registry.begin(definition('m'), { keepFailure: true });
    const failed = errorOf(ready);
    await settle();
    fixture.workers[0]!.refuse('no weights');
    expect(await failed).toMatchObject({ message: expect.stringContaining('no') });
    expect(registry.registered('m')).toMatchObject({ state: 'failed', reason: /no weights/ });
    await serve('m', '1');
    expect(states()).toEqual(['1 ready']);
  });

  it('P5 bounds the failures that it keeps', async () => {
    for (let model = 0; model < 110; model++) {
      const { ready } = registry.begin(definition(`m${model}`), { keepFailure: true });
      const failed = errorOf(ready);
      await settle();
      fixture.workers.at(-1)!.refuse('no');
      expect(await failed).toMatchObject({ message: expect.stringContaining('no') });
    }
    expect(registry.registrations.length).toBe(100);
  });

  it('does not let one name wait for another', async () => {
    const slow = registry.register(definition('slow', '1'));
    await serve('quick', '1');
    expect(registry.find('quick')).toBeDefined();
    fixture.workers[0]!.load();
    await slow;
  });
});

describe('replacing', () => {
  it('P7 serves the old version until the new one is ready, and answers there what was queued there', async () => {
    const old = await serve('m', '1');
    fixture.workers[0]!.holds = true;
    const admitted = old.predict('x');
    await settle();
    const replaced = registry.register(definition('m', '1'), { replace: true });
    await settle();
    expect(registry.resolve('m')).toBe(old);
    fixture.workers[1]!.load();
    const fresh = await replaced;
    expect(registry.resolve('m')).toBe(fresh);
    fixture.workers[0]!.release('from the old one');
    expect(await admitted).toBe('from the old one');
    await settle();
    expect(fixture.workers.map(({ hasEnded }) => hasEnded)).toEqual([true, false]);
    expect(states()).toEqual(['1 ready']);
  });

  it('P7 sends what was resolved to the old version before, and is queued after, to the new one', async () => {
    const old = await serve('m', '1');
    const fresh = await serve('m', '1', { replace: true });
    await settle();
    expect(fixture.workers[0]!.hasEnded).toBe(true);
    expect(() => old.assertAdmits()).not.toThrow();
    expect(old.validate({ data: 3 }).items).toEqual([3]);
    expect(await old.predict(3)).toBe(3);
    expect(fresh).not.toBe(old);
  });

  it('keeps the old version when the new one fails', async () => {
    const old = await serve('m', '1');
    const failed = errorOf(registry.register(definition('m', '1'), { replace: true }));
    await settle();
    fixture.workers[1]!.refuse('no weights');
    expect(await failed).toMatchObject({ message: expect.stringContaining('no') });
    expect(registry.resolve('m')).toBe(old);
    expect(await old.predict(1)).toBe(1);
    expect(states()).toEqual(['1 ready']);
  });
});

describe('removing', () => {
  it('BC-086 makes the next-highest version the latest, then the model unknown', async () => {
    for (const version of ['v1', 'v9', 'v10']) await serve('m', version);
    expect(registry.resolve('m').version).toBe('v10');
    await registry.remove('m', 'v10');
    expect(registry.resolve('m').version).toBe('v9');
    await expect(registry.remove('m', 'v10')).rejects.toMatchObject({ code: 'version_not_found' });
    await registry.remove('m', 'v9');
    await registry.remove('m', 'v1');
    expect(() => registry.resolve('m')).toThrow("there is no model 'm'");
    await expect(registry.remove('m', 'v1')).rejects.toMatchObject({ code: 'model_not_found' });
  });

  it('BC-094 answers what was admitted, and refuses what comes', async () => {
    const version = await serve('m', '1');
    fixture.workers[0]!.holds = true;
    const admitted = version.predict('x');
    await settle();
    const gone = registry.remove('m', '1');
    await settle();
    expect(states()).toEqual(['1 draining']);
    expect(() => registry.resolve('m')).toThrow("model 'm' is draining");
    await expect(version.predict('y')).rejects.toMatchObject({ code: 'model_removed', status: 503 });
    fixture.workers[0]!.release('in time');
    expect(await admitted).toBe('in time');
    expect(await gone).toBe(0);
    expect(fixture.workers[0]!.hasEnded).toBe(true);
    expect(fixture.eventTypes()).toEqual(['registered', 'ready', 'draining', 'removed']);
  });

  it('BC-094 refuses what cannot be answered within the limit, with 503', async () => {
    const version = await serve('m', '1');
    fixture.workers[0]!.holds = true;
    const running = version.predict('x');
    await settle();
    const waiting = version.predict('y');
    const refused = Promise.allSettled([running, waiting]);
    expect(await registry.remove('m', '1', { limitMs: 0 })).toBe(2);
    for (const each of await refused) expect(each).toMatchObject({ reason: { status: 503 } });
    expect(registry.registrations).toEqual([]);
  });

  it('gives up a model that is loading, at once', async () => {
    const failed = errorOf(registry.register(definition('m', '1')));
    await settle();
    await registry.remove('m', '1');
    expect(await failed).toMatchObject({
      code: 'model_removed',
    });
    await settle();
    expect(registry.registrations).toEqual([]);
    expect(fixture.workers[0]!.hasEnded).toBe(true);
  });

  it('forgets a model that has failed, by its name alone where its version never became known', async () => {
    const { ready } = registry.begin(definition('m'), { keepFailure: true });
    const failed = errorOf(ready);
    await settle();
    fixture.workers[0]!.refuse('no weights');
    expect(await failed).toMatchObject({ message: expect.stringContaining('no') });
    await registry.remove('m');
    expect(registry.registrations).toEqual([]);
  });

  it('BC-088 lets the same model come back with a clean queue', async () => {
    await serve('m', '1');
    await registry.remove('m', '1');
    const again = await serve('m', '1');
    expect([again.queueSize, again.laneCount, await again.predict(1)]).toEqual([0, 1, 1]);
  });
});

describe('draining', () => {
  it('takes a version out of service and keeps it', async () => {
    const version = await serve('m', '1');
    expect(await registry.drain('m', '1')).toBe(0);
    expect(states()).toEqual(['1 draining']);
    expect(version.laneCount).toBe(1);
    await expect(registry.drain('m', '1')).rejects.toMatchObject({ code: 'model_not_ready' });
    await registry.remove('m', '1');
    expect(registry.registrations).toEqual([]);
  });
});

describe('BC-087 registering and removing at random', () => {
  it('ends as the last completed operation says, without a worker too many', async () => {
    const { workers } = fixture;
    // Every worker that is started loads as soon as it may.
    const player = setInterval(() => workers.forEach((worker) => worker.load()), 0);
    const last = new Map<string, boolean>();
    const operations: Promise<unknown>[] = [];
    for (let step = 0; step < 300; step++) {
      const version = String(step % 3);
      const isRemoval = (step * 7919) % 5 < 2;
      const operation = isRemoval
        ? registry.remove('m', version)
        : registry.register(definition('m', version), { replace: step % 2 === 0 });
      operations.push(
        operation.then(
          () => last.set(version, !isRemoval),
          () => undefined,
        ),
      );
      if (step % 10 === 0) await settle();
    }
    await Promise.all(operations);
    await settle();
    clearInterval(player);
    const serving = registry.versions.map(({ version }) => version).sort();
    const expected = [...last].filter(([, isThere]) => isThere).map(([version]) => version);
    expect(serving).toEqual(expected.sort());
    expect(workers.filter(({ hasEnded }) => !hasEnded)).toHaveLength(serving.length);
    expect(registry.registrations).toHaveLength(serving.length);
  });
});
