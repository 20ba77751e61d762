import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture } from '../harness/configuration-file.js';
import type { RunningServer } from '../harness/running-server.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';
import { admin } from './admin-client.js';

const state = join(mkdtempSync(join(tmpdir(), 'smartbatch-configured-')), 'state');

function start(): Promise<RunningServer> {
  const shared = { module: fixture('recorder'), function: 'recorder', max_batch_size: 4 };
  const versions = { 9: {}, 10: { max_batch_size: 2 } };
  return startServer({
    models: {
      latest: { ...shared, versions },
      pinned: { ...shared, versions, traffic: { default: '9', shadow: { version: '10' } } },
      split: { ...shared, versions, traffic: { weights: { 9: 1, 10: 1 }, sticky_header: 'X-User' } },
    },
    environment: { SMARTBATCH_STATE_DIR: state, SMARTBATCH_MODEL_PATHS: dirname(fixture('x')) },
  });
}

async function answering(server: RunningServer, name: string, user = ''): Promise<string> {
  const { status, body } = await server.predict<Recorded>(name, 'x', { headers: { 'x-user': user } });
  expect(status).toBe(200);
  return body.result.version;
}

async function expectAsConfigured(server: RunningServer): Promise<void> {
  expect(await answering(server, 'latest')).toBe('10');
  expect(await answering(server, 'pinned')).toBe('9');
  const users = Array.from({ length: 40 }, (_, user) => `user-${user}`);
  const split = () => Promise.all(users.map((user) => answering(server, 'split', user)));
  const first = await split();
  expect(new Set(first)).toEqual(new Set(['9', '10']));
  expect(await split()).toEqual(first);
}

describe('versions and traffic in the configuration file', () => {
  it('BC-085 hold from the start, and after a restart whatever was set at run time', async () => {
    const first = await start();
    expect((await admin.model(first, 'split')).body.versions).toMatchObject([
      { version: '10', options: { max_batch_size: 2 } },
      { version: '9', options: { max_batch_size: 4 } },
    ]);
    await expectAsConfigured(first);
    await first.untilMetrics('the shadow had a copy', (metrics) =>
      metrics.has('smartbatch_shadow_requests_total', { model: 'pinned', version: '10', outcome: 'ok' }),
    );
    // Changed while it runs, as the file is not read anew.
    expect((await admin.traffic(first, 'pinned', 'PUT', { default: '10' })).status).toBe(200);
    expect(await answering(first, 'pinned')).toBe('10');
    expect((await admin.traffic(first, 'latest', 'PUT', { default: '9' })).status).toBe(200);
    await stopAndCheck(first);

    const second = await start();
    expect(await answering(second, 'latest')).toBe('9');
    expect((await admin.traffic(second, 'latest', 'DELETE')).body.shares).toEqual({ 10: 1 });
    await expectAsConfigured(second);
    const dropped = second.logged('its traffic is configured: the rules set at run time are dropped');
    expect(dropped.map(({ model }) => model)).toEqual(['pinned']);
    expect(JSON.parse(readFileSync(join(state, 'registry.json'), 'utf8'))).toMatchObject({ traffic: {} });
    await stopAndCheck(second);
  });
});
