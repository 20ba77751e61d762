import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture, writeConfiguration } from '../harness/configuration-file.js';
import type { RunningServer } from '../harness/running-server.js';
import { ServerProcess } from '../harness/server-process.js';
import { startServer } from '../harness/start-server.js';
import { waitUntil } from '../harness/wait-until.js';
import { admin, untilState } from './admin-client.js';

const recorder = { module: fixture('recorder') };

function startWith(state: string, models: Parameters<typeof startServer>[0]['models'] = {}) {
  return startServer({
    models,
    environment: { SMARTBATCH_STATE_DIR: state, SMARTBATCH_MODEL_PATHS: dirname(fixture('x')) },
  });
}

function newStateDirectory(): string {
  return join(mkdtempSync(join(tmpdir(), 'smartbatch-state-')), 'state');
}

async function labels(server: RunningServer): Promise<string[]> {
  const { body } = await admin.list(server);
  return body.models.flatMap(({ versions }) => versions.map(({ name, version }) => `${name} ${version}`));
}

describe('after a restart', () => {
  it('what was registered at run time serves again, with the options that it had last', async () => {
    const state = newStateDirectory();
    const first = await startWith(state, { configured: recorder });
    await admin.register(first, 'kept', { ...recorder, version: 'v2', max_batch_size: 4 });
    await admin.register(first, 'kept', { ...recorder, version: 'v10' });
    await admin.register(first, 'gone', recorder);
    await admin.update(first, 'kept', 'v2', { max_queue_size: 9, max_batch_size: 2 });
    await admin.remove(first, 'gone', '1');
    expect(await first.stop()).toEqual({ code: 0, signal: null });

    const second = await startWith(state, { configured: recorder });
    await untilState(second, 'kept', 'v2', 'ready');
    await untilState(second, 'kept', 'v10', 'ready');
    expect(await labels(second)).toEqual(['configured 1', 'kept v10', 'kept v2']);
    const { body } = await admin.version(second, 'kept', 'v2');
    expect(body.options).toMatchObject({ max_batch_size: 2, max_queue_size: 9 });
    expect((await admin.model(second, 'kept')).body.latest).toBe('v10');
    await second.stop();
  });

  it('what is configured goes before what was registered under the same label', async () => {
    const state = newStateDirectory();
    const first = await startWith(state);
    await admin.register(first, 'model', { ...recorder, version: '1', max_batch_size: 4 });
    await first.stop();
    const second = await startWith(state, { model: { ...recorder, version: '1', max_batch_size: 7 } });
    await untilState(second, 'model', '1', 'ready');
    expect((await admin.version(second, 'model', '1')).body.options).toMatchObject({ max_batch_size: 7 });
    await second.stop();
  });

  it('a model that cannot be had any more stays listed with its reason, and does not make the server unready', async () => {
    const state = newStateDirectory();
    const folder = mkdtempSync(join(tmpdir(), 'smartbatch-models-'));
    writeFileSync(join(folder, 'once.mjs'), 'export default (batch) => batch;');
    const options = {
      models: {},
      environment: { SMARTBATCH_STATE_DIR: state, SMARTBATCH_MODEL_PATHS: folder },
    };
    const first = await startServer(options);
    expect((await admin.register(first, 'once', { module: './once.mjs' })).status).toBe(201);
    await first.stop();
    writeFileSync(join(folder, 'once.mjs'), 'throw new Error("the weights have moved");');
    const second = await startServer(options);
    await untilState(second, 'once', '1', 'failed');
    expect((await admin.version(second, 'once', '1')).body.reason).toContain('the weights have moved');
    expect(await second.status('/health/ready')).toBe(200);
    expect((await admin.remove(second, 'once', '1')).status).toBe(200);
    await second.stop();
    const third = await startServer(options);
    expect(await labels(third)).toEqual([]);
    await third.stop();
  });

  it('a damaged file has been set aside, and the server says so', async () => {
    const state = newStateDirectory();
    await (await startWith(state)).stop();
    writeFileSync(join(state, 'registry.json'), '{"schema": 1, "mod');
    const server = await startWith(state);
    expect(await labels(server)).toEqual([]);
    const [line] = server.process.stdoutLines.filter((text) => text.includes('were set aside'));
    const { setAside } = JSON.parse(line!) as { setAside: string };
    expect(readFileSync(setAside, 'utf8')).toBe('{"schema": 1, "mod');
    await server.stop();
  });
});

describe('a second server on the same state', () => {
  it('does not start, and the first one goes on; one that was killed is in nobody’s way', async () => {
    const state = newStateDirectory();
    const first = await startWith(state);
    const refused = new ServerProcess({
      PORT: '0',
      SMARTBATCH_CONFIG: writeConfiguration({}),
      SMARTBATCH_STATE_DIR: state,
      LOG_LEVEL: 'silent',
    });
    expect(await refused.ended).toEqual({ code: 1, signal: null });
    expect(refused.stderrLines).toEqual([
      `smartbatch: SMARTBATCH_STATE_DIR ${state} is in use by another server`,
    ]);
    expect((await admin.register(first, 'm', { ...recorder, version: '1' })).status).toBe(201);
    await first.stop('SIGKILL');
    const second = await startWith(state);
    await untilState(second, 'm', '1', 'ready');
    expect(await second.stop()).toEqual({ code: 0, signal: null });
    expect(readdirSync(state)).toEqual(['registry.json']);
  });
});

describe('kill -9 in the middle of registrations and removals', () => {
  it('leaves a state that holds what was acknowledged, never a broken one', async () => {
    const state = newStateDirectory();
    /** What each model's last acknowledged change has left, and what a change under way may leave. */
    const certain = new Map<string, boolean>();
    const possible = new Map<string, boolean>();
    for (let round = 0; round < 4; round++) {
      let acknowledged = 0;
      const server = await startWith(state);
      const killed = new AbortController();
      const change = async (name: string) => {
        for (let step = 0; !killed.signal.aborted; step++) {
          const isThere = certain.get(name) === true;
          possible.set(name, !isThere);
          const { status } = isThere
            ? await admin.remove(server, name, '1')
            : await admin.register(server, name, { ...recorder, version: '1' }, '?replace=true');
          if (status >= 300) continue;
          certain.set(name, !isThere);
          acknowledged++;
        }
      };
      const clients = ['a', 'b', 'c'].map((name) => change(name).catch(() => undefined));
      // The changes of the two others are under way then.
      await waitUntil('some changes are acknowledged', () => acknowledged > 2 * round);
      killed.abort();
      await server.stop('SIGKILL');
      await Promise.all(clients);
      expect(readdirSync(state).filter((name) => name.includes('damaged'))).toEqual([]);
      const { models } = JSON.parse(readFileSync(join(state, 'registry.json'), 'utf8')) as {
        models: { name: string }[];
      };
      for (const name of ['a', 'b', 'c']) {
        const isStored = models.some((model) => model.name === name);
        expect([certain.get(name) ?? false, possible.get(name) ?? false]).toContain(isStored);
        certain.set(name, isStored);
      }
      possible.clear();
    }
    const last = await startWith(state);
    const expected = [...certain].flatMap(([name, isThere]) => (isThere ? [name] : []));
    for (const name of expected) await untilState(last, name, '1', 'ready');
    expect(await labels(last)).toEqual(expected.map((name) => `${name} 1`).sort());
    await last.stop();
  }, 120_000);
});
