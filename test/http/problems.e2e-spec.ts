import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

/** As long as a model's name may be. */
const LONG_NAME = 'n'.repeat(128);
const module = fixture('recorder');
const server = await startServer({ models: { echo: { module }, [LONG_NAME]: { module } } });
afterAll(() => stopAndCheck(server));

it('a model with the longest name that there may be is served', async () => {
  expect((await server.predict(LONG_NAME, 1)).status).toBe(200);
});

describe('every error leaves as application/problem+json', () => {
  it.each([
    ['a path that does not exist', 'GET', '/nothing', [404]],
    ['GET where POST is meant', 'GET', '/models/echo/predict', [404, 405]],
    ['DELETE where GET is meant', 'DELETE', '/health', [404, 405]],
    ['a path that is not UTF-8', 'POST', '/models/%zz/predict', [400]],
    ['a name that no model can have', 'POST', `/models/${'x'.repeat(500)}/predict`, [404, 414]],
    ['an empty name', 'POST', '/models//predict', [404]],
  ])('%s', async (_, method, path, statuses) => {
    const { status, headers, body } = await server.send(path, { method });
    expect(statuses).toContain(status);
    expect(body.status).toBe(status);
    expect(body.detail).toEqual(expect.any(String));
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(body.request_id).toBe(headers.get('x-request-id'));
  });

  it('a request that is no HTTP ends its own connection only', async () => {
    const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
    socket.write('HELLO\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await server.predict('echo', 1)).status).toBe(200);
  });
});
