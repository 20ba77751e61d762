import { afterAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture } from '../harness/configuration-file.js';
import { occupy } from '../harness/occupy.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';
import { waitUntil } from '../harness/wait-until.js';
import { admin, untilState } from './admin-client.js';

const recorder = { module: fixture('recorder') };
const server = await startServer({
  models: {
    steady: recorder,
    doomed: { ...recorder, max_batch_size: 1, max_queue_size: 7 },
    broken: { module: fixture('throws-on-import') },
  },
  until: 'listening',
});
afterAll(() => stopAndCheck(server));
await server.untilMetrics(
  'both are there',
  (metrics) =>
    metrics.value('smartbatch_lanes', { model: 'steady' }) +
      metrics.value('smartbatch_lanes', { model: 'doomed' }) ===
    2,
);

describe('GET /admin/models', () => {
  it('lists every model with its versions, states and effective options', async () => {
    const { status, body } = await admin.list(server);
    expect(status).toBe(200);
    expect(body.models.map(({ name, latest }) => [name, latest])).toEqual([
      ['broken', null],
      ['doomed', '1'],
      ['steady', '1'],
    ]);
    const [version] = body.models[1]!.versions;
    expect(version).toMatchObject({
      version: '1',
      state: 'ready',
      latest: true,
      workers_alive: 1,
      breaker: 'closed',
      options: { max_batch_size: 1, max_queue_size: 7, max_wait_time: 0.01, timeout: 30, window: 'auto' },
    });
    expect(body.models[0]!.versions[0]).toMatchObject({ state: 'failed', reason: /the weights are missing/ });
  });

  it('shows one model and one version, and 404 for others', async () => {
    expect((await admin.model(server, 'steady')).body).toMatchObject({ name: 'steady', latest: '1' });
    expect((await admin.version(server, 'steady', '1')).body).toMatchObject({ state: 'ready' });
    expect((await admin.model(server, 'nobody')).body).toMatchObject({ code: 'model_not_found' });
    expect((await admin.version(server, 'steady', '9')).body).toMatchObject({ code: 'version_not_found' });
  });

  it('answers in MessagePack where that is wanted', async () => {
    const response = await fetch(`${server.url}/admin/models`, {
      headers: { accept: 'application/msgpack' },
    });
    expect(response.headers.get('content-type')).toBe('application/msgpack');
  });
});

describe('DELETE /admin/models/{name}/{version}', () => {
  it('BC-094 answers the seven that wait and the one that runs, refuses the next, then frees everything', async () => {
    const { gate, answer } = await occupy(server, 'doomed');
    const waiting = Array.from({ length: 7 }, (_, n) => server.predict<Recorded>('doomed', n));
    await server.untilMetrics('seven wait', (metrics) => metrics.queueSize('doomed') === 7);
    const removal = admin.remove(server, 'doomed', '1');
    await untilState(server, 'doomed', '1', 'draining');
    const refused = await server.predict('doomed', 8, { version: '1' });
    expect([refused.status, refused.body.code]).toEqual([503, 'model_not_ready']);
    gate.open();
    expect((await answer).status).toBe(200);
    const answers = await Promise.all(waiting);
    expect(answers.map(({ body }) => body.result.data)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect((await removal).body).toEqual({ name: 'doomed', version: '1', state: 'removed', refused: 0 });
  });

  it('BC-086 makes a second one 404, and the model unknown', async () => {
    expect(await admin.remove(server, 'doomed', '1')).toMatchObject({
      status: 404,
      body: { code: 'model_not_found' },
    });
    expect(await server.predict('doomed', 1)).toMatchObject({
      status: 404,
      body: { code: 'model_not_found' },
    });
    expect(await admin.remove(server, 'steady', '2')).toMatchObject({
      status: 404,
      body: { code: 'version_not_found' },
    });
  });

  it('BC-116 leaves no series after one more scrape', async () => {
    await server.metrics();
    expect((await server.metrics()).text).not.toContain('model="doomed"');
  });

  it('writes a line for every change, whatever became of it', async () => {
    await waitUntil('the lines are there', () => server.logged('admin change').length === 3);
    const lines = server
      .logged('admin change')
      .map(({ action, model, version, outcome, audit }) => [audit, action, model, version, outcome]);
    expect(lines).toEqual([
      [true, 'remove', 'doomed', '1', 'ok'],
      [true, 'remove', 'doomed', '1', 'model_not_found'],
      [true, 'remove', 'steady', '2', 'version_not_found'],
    ]);
  });

  it('BC-112 of a configured model takes readiness away, and /health says why', async () => {
    const response = await fetch(`${server.url}/health`);
    const { error } = (await response.json()) as { error: Record<string, { state: string }> };
    expect(error['model:doomed']).toMatchObject({ status: 'down', state: 'removed' });
  });

  it.each([
    ['timeout=-1', 'timeout must be seconds'],
    ['timeout=', 'timeout must be seconds'],
    ['timeout=1&timeout=2', 'timeout must be given once'],
    ['timeuot=1', 'timeuot is not a parameter here; known are: timeout'],
  ])('refuses the query %s', async (query, detail) => {
    const { status, body } = await admin.remove(server, 'steady', `1?${query}`);
    expect([status, body.code]).toEqual([422, 'invalid_options']);
    expect(body.detail).toContain(detail);
    expect((await server.predict('steady', 1)).status).toBe(200);
  });
});
