import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';
import { admin, untilState } from './admin-client.js';

const environment = {
  SMARTBATCH_MODEL_PATHS: dirname(fixture('recorder')),
  SMARTBATCH_STATE_DIR: mkdtempSync(join(tmpdir(), 'smartbatch-traffic-')),
};
let server = await startServer({ models: {}, environment });
afterAll(() => stopAndCheck(server));

const recorder = { module: fixture('recorder'), function: 'recorder' };
const faulty = { module: fixture('misbehaving'), function: 'breakContract' };

async function register(name: string, ...versions: string[]): Promise<void> {
  const answers = await Promise.all(
    versions.map((version) => admin.register(server, name, { ...recorder, version })),
  );
  expect(answers.map(({ status }) => status)).toEqual(versions.map(() => 201));
}

/** The version that answers, by the header and by the model's own word. */
async function answering(name: string, headers: Readonly<Record<string, string>> = {}, version?: string) {
  const {
    status,
    headers: answered,
    body,
  } = await server.predict<Recorded>(name, 'x', {
    headers,
    ...(version === undefined ? {} : { version }),
  });
  expect(status).toBe(200);
  expect(answered.get('x-model-version')).toBe(body.result.version);
  return body.result.version;
}

async function answeringMany(
  name: string,
  count: number,
  headersOf: (index: number) => Record<string, string>,
) {
  const versions = Array.from({ length: count }, (_, index) => answering(name, headersOf(index)));
  return (await Promise.all(versions)).sort();
}

describe('requests that name no version', () => {
  beforeAll(() => register('split', '9', '10', 'v1'));

  it('BC-083 BC-085 go to the highest version without rules, which GET tells', async () => {
    const { body } = await admin.traffic(server, 'split');
    expect(body).toMatchObject({ name: 'split', rules: null, shares: { v1: 1 } });
    expect(await answering('split')).toBe('v1');
  });

  it('BC-086 go to the pinned version, while ?version= still decides', async () => {
    const { status, body } = await admin.traffic(server, 'split', 'PUT', { default: '9' });
    expect([status, body.rules, body.shares]).toEqual([200, { default: '9' }, { '9': 1 }]);
    expect(await answering('split')).toBe('9');
    expect(await answering('split', {}, '10')).toBe('10');
    expect((await server.predict('split', 1, { version: 'nope' })).status).toBe(404);
    expect((await admin.model(server, 'split')).body.latest).toBe('v1');
  });

  it('are split by weight, and stay with a version by their id', async () => {
    await admin.traffic(server, 'split', 'PUT', { weights: { '9': 3, '10': 1 } });
    const versions = await answeringMany('split', 100, (index) => ({ 'x-request-id': `request-${index}` }));
    expect(new Set(versions)).toEqual(new Set(['9', '10']));
    expect(versions.filter((version) => version === '9').length).toBeGreaterThan(60);
    const again = await answeringMany('split', 100, (index) => ({ 'x-request-id': `request-${index}` }));
    expect(again).toEqual(versions);
  });

  it('stay with a version by the header that is named', async () => {
    await admin.traffic(server, 'split', 'PUT', { weights: { '9': 1, '10': 1 }, sticky_header: 'X-User' });
    const ofUsers = await Promise.all(
      Array.from({ length: 10 }, (_, user) =>
        answeringMany('split', 5, () => ({ 'x-user': `user-${user}` })),
      ),
    );
    for (const versions of ofUsers) expect(new Set(versions).size).toBe(1);
    expect(new Set(ofUsers.flat()).size).toBe(2);
  });

  it('BC-086 go to the rest when a version is removed, and to the latest when all that are named are', async () => {
    await admin.traffic(server, 'split', 'PUT', { weights: { '9': 1, '10': 1 } });
    expect((await admin.remove(server, 'split', '10')).status).toBe(200);
    expect((await admin.traffic(server, 'split')).body).toMatchObject({
      rules: { weights: { '9': 1, '10': 1 } },
      shares: { '9': 1 },
    });
    expect(new Set(await answeringMany('split', 20, () => ({})))).toEqual(new Set(['9']));
    await admin.act(server, 'split', '9', 'drain');
    await untilState(server, 'split', '9', 'draining');
    expect((await admin.traffic(server, 'split')).body.shares).toEqual({ v1: 1 });
    expect(new Set(await answeringMany('split', 20, () => ({})))).toEqual(new Set(['v1']));
  });

  it('go to the latest again when the rules are taken away', async () => {
    await admin.traffic(server, 'split', 'PUT', { weights: { v1: 1 } });
    expect((await admin.traffic(server, 'split', 'DELETE')).body).toMatchObject({
      rules: null,
      shares: { v1: 1 },
    });
  });

  it('BC-088 have no rules left over from a model that was removed', async () => {
    await register('short', '1', '2');
    await admin.traffic(server, 'short', 'PUT', { default: '1' });
    for (const version of ['1', '2']) await admin.remove(server, 'short', version);
    expect((await admin.traffic(server, 'short')).status).toBe(404);
    await register('short', '1', '2');
    expect((await admin.traffic(server, 'short')).body.rules).toBeNull();
    expect(await answering('short')).toBe('2');
  });

  it('are not touched by rules that are refused', async () => {
    await admin.traffic(server, 'short', 'PUT', { default: '1' });
    const { status, body } = await admin.traffic(server, 'short', 'PUT', { default: '7' });
    expect([status, body.code, body.detail]).toEqual([
      422,
      'invalid_options',
      "default must be a version that is ready, which '7' is not",
    ]);
    expect(await answering('short')).toBe('1');
    expect((await admin.traffic(server, 'none', 'PUT', { default: '1' })).status).toBe(404);
    const label = await admin.register(server, 'short', { ...recorder, version: 'traffic' });
    expect([label.status, label.body.code]).toEqual([422, 'invalid_options']);
  });

  it('follow the same rules after a restart', async () => {
    await stopAndCheck(server);
    server = await startServer({ models: {}, environment });
    for (const version of ['1', '2']) await untilState(server, 'short', version, 'ready');
    expect((await admin.traffic(server, 'short')).body.rules).toEqual({ default: '1' });
    expect(await answering('short')).toBe('1');
  });
});

describe('a shadow', () => {
  it('gets copies, and nothing that happens to them reaches the requests', async () => {
    await register('copied', '1');
    await admin.register(server, 'copied', { ...faulty, version: '2' });
    await admin.register(server, 'copied', { ...recorder, version: '3' });
    const copies = (version: string, outcome: string) =>
      server
        .metrics()
        .then((metrics) =>
          metrics.value('smartbatch_shadow_requests_total', { model: 'copied', version, outcome }),
        );

    await admin.traffic(server, 'copied', 'PUT', { default: '1', shadow: { version: '2' } });
    const { body, status } = await server.predict<Recorded>('copied', 'throw');
    expect([status, body.result.version, body.result.data]).toEqual([200, '1', 'throw']);
    await server.untilMetrics('the copy failed', (metrics) =>
      metrics.has('smartbatch_shadow_requests_total', { model: 'copied', version: '2', outcome: 'failed' }),
    );

    await admin.traffic(server, 'copied', 'PUT', { default: '1', shadow: { version: '3' } });
    await server.predict('copied', 'x');
    await server.untilMetrics('the copy was answered', (metrics) =>
      metrics.has('smartbatch_shadow_requests_total', { model: 'copied', version: '3', outcome: 'ok' }),
    );
    expect(await copies('3', 'ok')).toBe(1);
    expect(await copies('1', 'ok')).toBe(0);
    const metrics = await server.metrics();
    const requests = (version: string) =>
      metrics.value('smartbatch_requests_total', { model: 'copied', version });
    expect([requests('1'), requests('2'), requests('3')]).toEqual([2, 0, 0]);
  });

  it('does not make a request wait for its copy', async () => {
    await register('unhurried', '1');
    // The request would be held too if it waited for its copy.
    const held = new Gate();
    await admin.register(server, 'unhurried', {
      module: fixture('gated'),
      function: 'waitForShadowGate',
      version: '2',
    });
    await admin.traffic(server, 'unhurried', 'PUT', { default: '1', shadow: { version: '2' } });
    const { status } = await server.predict('unhurried', 'x', { parameters: { shadow_gate: held.path } });
    expect(status).toBe(200);
    await held.entered();
    held.open();
    await server.untilMetrics('the copy was answered', (metrics) =>
      metrics.has('smartbatch_shadow_requests_total', { model: 'unhurried', version: '2', outcome: 'ok' }),
    );
  });
});
