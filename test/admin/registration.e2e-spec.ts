import { pack, unpack } from 'msgpackr';
import { afterAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';
import { waitUntil } from '../harness/wait-until.js';
import { admin, untilState } from './admin-client.js';

const gate = new Gate();
const server = await startServer({
  models: { steady: { module: fixture('recorder') } },
  environment: { SMARTBATCH_MODEL_PATHS: fixture('').replace(/\/[^/]*$/, ''), TEST_GATE: gate.path },
});
afterAll(() => stopAndCheck(server));

const recorder = { module: fixture('recorder'), function: 'recorder' };

describe('POST /admin/models/{name}', () => {
  it('answers 201 when the model serves, with its place and its effective options', async () => {
    const { status, headers, body } = await admin.register(server, 'echo', {
      ...recorder,
      version: 'v1',
      max_batch_size: 4,
      max_wait_time: 0.005,
      max_queue_size: 16,
      target_latency: 0.2,
    });
    expect([status, headers.get('location')]).toEqual([201, '/admin/models/echo/v1']);
    expect(body).toMatchObject({
      name: 'echo',
      version: 'v1',
      state: 'ready',
      options: { max_batch_size: 4, max_wait_time: 0.005, max_queue_size: 16, target_latency: 0.2 },
    });
    const answer = await server.predict<Recorded>('echo', 'hello');
    expect(answer.body.result).toMatchObject({ data: 'hello', version: 'v1' });
  });

  it('refuses a version that is there already with 409, and keeps it', async () => {
    const { status, body } = await admin.register(server, 'echo', { ...recorder, version: 'v1' });
    expect([status, body.code]).toEqual([409, 'model_exists']);
    expect((await server.predict('echo', 1)).status).toBe(200);
  });

  it('BC-087 of twenty identical requests at once accepts one', async () => {
    const calls = Array.from({ length: 20 }, () =>
      admin.register(server, 'twenty', { ...recorder, version: '1' }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(19);
    const metrics = await server.metrics();
    expect(metrics.value('smartbatch_lanes', { model: 'twenty' })).toBe(1);
  });

  it('with wait=false answers 202, and says where the state is to be looked up', async () => {
    const settings = { module: fixture('hanging.module'), version: '1' };
    const { status, headers, body } = await admin.register(server, 'slow', settings, '?wait=false');
    expect([status, headers.get('location'), body.state]).toEqual([202, '/admin/models/slow/1', 'loading']);
    await gate.entered();
    expect(await server.predict('slow', 1)).toMatchObject({ status: 503, body: { code: 'model_not_ready' } });
    gate.open();
    await untilState(server, 'slow', '1', 'ready');
    expect((await server.predict('slow', 1)).status).toBe(200);
  });

  it('with wait=false keeps a failure to be looked up, until it is deleted', async () => {
    const settings = { module: fixture('throws-on-import'), version: '1' };
    expect((await admin.register(server, 'broken', settings, '?wait=false')).status).toBe(202);
    await untilState(server, 'broken', '1', 'failed');
    const { body } = await admin.version(server, 'broken', '1');
    expect(body.reason).toContain('the weights are missing');
    // A registration at run time does not make the server unready.
    expect(await server.status('/health/ready')).toBe(200);
    expect((await admin.remove(server, 'broken', '1')).status).toBe(200);
    expect((await admin.model(server, 'broken')).status).toBe(404);
  });

  it('with wait=false keeps also a failure whose version never became known, which the name alone removes', async () => {
    const settings = { module: fixture('throws-on-import') };
    const { headers } = await admin.register(server, 'broken', settings, '?wait=false');
    expect(headers.get('location')).toBe('/admin/models/broken');
    await waitUntil('it has failed', async () => {
      const { body } = await admin.model(server, 'broken');
      return body.versions[0]!.state === 'failed';
    });
    expect((await admin.removeAll(server, 'broken')).status).toBe(200);
    expect((await admin.removeAll(server, 'broken')).body.code).toBe('model_not_found');
  });

  it('BC-112 makes the server unready only where it is required, and says why', async () => {
    const settings = { module: fixture('throws-on-import'), version: '1', required: true };
    await admin.register(server, 'needed', settings, '?wait=false');
    await untilState(server, 'needed', '1', 'failed');
    const response = await fetch(`${server.url}/health/ready`);
    expect(response.status).toBe(503);
    const { error } = (await response.json()) as {
      error: Record<string, { readonly state: string; readonly reason: string }>;
    };
    expect(error['model:needed']!.state).toBe('failed');
    expect(error['model:needed']!.reason).toContain('the weights are missing');
    await admin.remove(server, 'needed', '1');
    expect(await server.status('/health/ready')).toBe(200);
  });

  it('takes MessagePack, and answers in it', async () => {
    const response = await fetch(`${server.url}/admin/models/packed`, {
      method: 'POST',
      headers: { 'content-type': 'application/msgpack', accept: 'application/msgpack' },
      body: pack({ ...recorder, version: 'v1', max_batch_size: 3 }),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([201, 'application/msgpack']);
    const body = unpack(Buffer.from(await response.arrayBuffer())) as { options: object };
    expect(body.options).toMatchObject({ max_batch_size: 3 });
    await admin.remove(server, 'packed', 'v1');
  });

  it.each([
    [
      'an export that is not there',
      { module: fixture('recorder'), function: 'nope' },
      "'nope' does not exist",
    ],
    ['an export that is no model', { module: fixture('counting'), function: 'default' }, 'does not exist'],
    ['a module that throws', { module: fixture('throws-on-import') }, 'the weights are missing'],
    [
      'a module that needs a package that is not there',
      { module: fixture('needs-package') },
      "Cannot find package 'no-such-package' imported from needs-package.js",
    ],
  ])('BC-089 refuses %s, and leaves nothing of it', async (_, settings, reason) => {
    const { status, body } = await admin.register(server, 'wrong', settings);
    expect([status, body.code]).toEqual([422, 'model_not_loadable']);
    expect(body.detail).toContain(reason);
    expect((await admin.model(server, 'wrong')).status).toBe(404);
    expect((await server.predict('wrong', 1)).body.code).toBe('model_not_found');
    expect((await server.metrics()).has('smartbatch_lanes', { model: 'wrong' })).toBe(false);
  });

  it.each([
    ['no module', {}, ['module']],
    ['both sources', { ...recorder, onnx: 'x.onnx' }, ['onnx']],
    ['a source of the wrong type', { module: 3 }, ['module']],
    ['unknown options', { ...recorder, max_batchsize: 3, wait: 1 }, ['max_batchsize', 'wait']],
    ['options out of range', { ...recorder, max_batch_size: 0, workers: 1.5 }, ['max_batch_size', 'workers']],
    ['a version that is no label', { ...recorder, version: 'a b' }, ['version']],
    ['a module outside the model paths', { module: '/etc/passwd' }, ['module']],
    ['no object', [recorder], ['the body']],
  ])('refuses %s with 422, naming the fields', async (_, settings, fields) => {
    const { status, body } = await admin.register(server, 'wrong', settings);
    expect([status, body.code]).toEqual([422, 'invalid_options']);
    expect(body.errors!.map(({ field }) => field)).toEqual(fields);
  });

  it('refuses a name that is none', async () => {
    const { status, body } = await admin.register(server, 'a%20b', recorder);
    expect([status, body.errors![0]!.field]).toEqual([422, 'name']);
  });

  it.each(['?replace=yes', '?replace=true&replace=true', '?repalce=true'])(
    'refuses the query %s',
    async (query) => {
      const { status, body } = await admin.register(server, 'wrong', recorder, query);
      expect([status, body.code]).toEqual([422, 'invalid_options']);
    },
  );

  it('shows the model in the API description at once, and takes it out after its removal', async () => {
    const paths = async () => {
      const response = await fetch(`${server.url}/openapi.json`);
      return Object.keys(((await response.json()) as { paths: object }).paths);
    };
    expect(await paths()).toContain('/models/twenty/predict');
    await admin.remove(server, 'twenty', '1');
    expect(await paths()).not.toContain('/models/twenty/predict');
    expect(await paths()).toContain('/admin/models/{name}/{version}');
  });
});

describe('PATCH /admin/models/{name}/{version}', () => {
  it('changes options that can change while it serves, and shows them', async () => {
    const changes = { max_batch_size: 2, window: 'eager', breaker: { threshold: 9 }, target_latency: null };
    const { status, body } = await admin.update(server, 'echo', 'v1', changes);
    expect(status).toBe(200);
    expect(body.options).toMatchObject({ max_batch_size: 2, window: 'eager', max_queue_size: 16 });
    expect(body.options['breaker']).toMatchObject({ threshold: 9 });
    expect(body.options).not.toHaveProperty('target_latency');
    const calls = Array.from({ length: 6 }, (_, n) => server.predict<Recorded>('echo', n));
    const sizes = (await Promise.all(calls)).map(({ body: { result } }) => result.size);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2);
  });

  it('starts workers and lets them go, while it serves', async () => {
    const alive = async () => (await admin.version(server, 'echo', 'v1')).body.workers_alive;
    expect((await admin.update(server, 'echo', 'v1', { workers: 3 })).status).toBe(200);
    expect(await alive()).toBe(3);
    const calls = Array.from({ length: 12 }, (_, n) =>
      server.predict<Recorded>('echo', n, { parameters: { sleep: 20 } }),
    );
    expect((await admin.update(server, 'echo', 'v1', { workers: 1 })).status).toBe(200);
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
    expect(await alive()).toBe(1);
  });

  it('changes nothing when one option cannot change, and names it', async () => {
    const changes = { max_batch_size: 3, devices: ['cuda:0'], load_timeout: 5 };
    const { status, body } = await admin.update(server, 'echo', 'v1', changes);
    expect([status, body.code]).toEqual([422, 'invalid_options']);
    expect(body.errors!.map(({ field }) => field).sort()).toEqual(['devices', 'load_timeout']);
    expect(body.detail).toContain('replace=true');
    expect((await admin.version(server, 'echo', 'v1')).body.options).toMatchObject({ max_batch_size: 2 });
  });

  it.each([
    [{ max_batch_size: -1 }, 'max_batch_size'],
    [{ max_batchsize: null }, 'max_batchsize'],
    [{ window: 'sesame' }, 'window'],
  ])('refuses %j, naming it', async (changes, field) => {
    const { status, body } = await admin.update(server, 'echo', 'v1', changes);
    expect([status, body.code]).toEqual([422, 'invalid_options']);
    expect(body.detail).toContain(field);
  });
});

describe('POST /admin/models/{name}/{version}/…', () => {
  it('reset-breaker answers with the version', async () => {
    const { status, body } = await admin.act(server, 'echo', 'v1', 'reset-breaker');
    expect([status, body.name]).toEqual([200, 'echo']);
    expect((await admin.act(server, 'echo', 'v9', 'reset-breaker')).body.code).toBe('version_not_found');
  });

  it('drain takes a version out of service, which replace=true brings back', async () => {
    expect((await admin.act(server, 'echo', 'v1', 'drain')).body).toMatchObject({ state: 'draining' });
    expect(await server.predict('echo', 1)).toMatchObject({ status: 503, body: { code: 'model_not_ready' } });
    const settings = { ...recorder, version: 'v1' };
    expect((await admin.register(server, 'echo', settings)).status).toBe(409);
    expect((await admin.register(server, 'echo', settings, '?replace=true')).status).toBe(201);
    expect((await server.predict('echo', 1)).status).toBe(200);
  });
});
