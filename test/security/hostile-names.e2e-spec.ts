import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { admin } from '../admin/admin-client.js';
import type { AnswerBody } from '../harness/answer.js';
import { fixture } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';

const server = await startServer({
  models: {},
  environment: { SMARTBATCH_MODEL_PATHS: dirname(fixture('x')) },
});
afterAll(() => server.stop());

const recorder = { module: fixture('recorder'), function: 'recorder' };

/** `fetch` would resolve dots before it sends them. */
async function post(path: string, body: string): Promise<{ status: number; body: AnswerBody }> {
  const { hostname, port } = new URL(server.url);
  const headers = { 'content-type': 'application/json' };
  const sent = request({ hostname, port, path, method: 'POST', headers }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, body: JSON.parse(await text(response)) as AnswerBody };
}

const NAMES = [
  '.',
  '..',
  '%2e',
  '%2e%2e',
  '%2E%2e',
  '%2e%2e%2fetc',
  '__proto__',
  '%5f_proto__',
  'constructor',
  'prototype',
  'a%20b',
  'a%00',
  'caf%C3%A9',
  '%F0%9F%90%BF',
  'x'.repeat(129),
  'x'.repeat(512),
];

describe('BC-119 what is no name', () => {
  it.each(NAMES)('%s is refused as a model', async (name) => {
    const { status, body } = await post(`/admin/models/${name}`, JSON.stringify(recorder));
    expect([status, body.code, body.errors?.[0]?.field]).toEqual([422, 'invalid_options', 'name']);
  });

  it.each([
    '.',
    '..',
    '__proto__',
    'constructor',
    'prototype',
    'traffic',
    'a b',
    '',
    'x'.repeat(129),
    7,
    null,
  ])('%j is refused as a version', async (version) => {
    const { status, body } = await admin.register(server, 'm', { ...recorder, version });
    expect([status, body.code, body.errors?.[0]?.field]).toEqual([422, 'invalid_options', 'version']);
  });

  it('an option of that name is refused, and changes no object', async () => {
    const { status, body } = await post(
      '/admin/models/m',
      `{"module": ${JSON.stringify(recorder.module)}, "__proto__": {"workers": 7}, "constructor": 1}`,
    );
    expect([status, body.code]).toEqual([422, 'invalid_options']);
    expect(({} as { workers?: number }).workers).toBeUndefined();
  });

  it('nothing of all that is left', async () => {
    expect((await admin.list(server)).body.models).toEqual([]);
    const longest = 'x'.repeat(128);
    expect((await admin.register(server, longest, { ...recorder, version: longest })).status).toBe(201);
    expect((await server.predict(longest, 1)).status).toBe(200);
  });

  it('a body that is large, deep or none is refused in a moment', async () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const wide = JSON.stringify({ module: 'x'.repeat(3_000_000) });
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`o${n}`, n])));
    for (const body of [deep, wide, many, '', 'null', '7', '"x"']) {
      const { status } = await post('/admin/models/m', body);
      expect([400, 422]).toContain(status);
    }
    expect((await server.predict('x'.repeat(128), 1)).status).toBe(200);
  });
});
