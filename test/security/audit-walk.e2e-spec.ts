import 'reflect-metadata';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load-settings.js';
import { createServer } from '../../src/create-server.js';
import { fixture, writeConfiguration } from '../harness/configuration-file.js';
import { readRouteTable } from '../harness/route-table.js';
import { waitUntil } from '../harness/wait-until.js';

let lines: Record<string, unknown>[] = [];
const logger = pino({}, { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
const audited = () => lines.filter(({ audit }) => audit === true);

const settings = loadSettings({
  SMARTBATCH_CONFIG: writeConfiguration({ served: { module: fixture('recorder') } }),
  SMARTBATCH_MODEL_PATHS: fixture('').replace(/\/[^/]*$/, ''),
  SMARTBATCH_ADMIN_TOKEN: 'operator-s3cret',
  SMARTBATCH_DEVICES: 'cpu',
});
const app = await createServer(settings, logger);
await app.init();
const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
await fastify.ready();
afterAll(() => app.close());
beforeEach(() => {
  lines = [];
});

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const CHANGES = readRouteTable(fastify.printRoutes({ commonPrefix: false })).filter(
  ({ method, path }) => path.startsWith('/admin/') && !READS.has(method),
);

function send(method: string, url: string, body?: unknown, type = 'application/json') {
  return fastify.inject({
    method: method as 'POST',
    url,
    headers: { authorization: 'Bearer operator-s3cret', 'content-type': type, 'x-request-id': 'asked' },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

const pathOf = (route: string) => route.replace(':name', 'none').replace(':version', '7');

describe('every route that changes something', () => {
  it('is walked', () => {
    expect(CHANGES.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'DELETE /admin/models/:name',
      'DELETE /admin/models/:name/:version',
      'DELETE /admin/models/:name/traffic',
      'PATCH /admin/models/:name/:version',
      'POST /admin/models/:name',
      'POST /admin/models/:name/:version/drain',
      'POST /admin/models/:name/:version/reset-breaker',
      'PUT /admin/models/:name/traffic',
    ]);
  });

  it.each(CHANGES)('$method $path is one line in the audit log, also when it is refused', async (route) => {
    const url = pathOf(route.path);
    const bodies: [unknown, string?][] = [
      [{}],
      [{ odd: 1 }],
      [[]],
      ['{'],
      [undefined],
      ['a=b', 'text/plain'],
    ];
    for (const [body, type] of bodies) {
      lines = [];
      const { statusCode } = await send(route.method, url, body, type);
      expect(statusCode).toBeGreaterThanOrEqual(400);
      expect(audited()).toMatchObject([
        { model: 'none', requestId: 'asked', operator: expect.stringMatching(/^token-/) as string },
      ]);
      expect(audited()[0]!['outcome']).not.toBe('ok');
    }
    lines = [];
    await send(route.method, `${url}?token=operator-s3cret`, {});
    expect(audited()).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain('s3cret');
  });

  it('has the version also when only the model knew it, and what was asked for', async () => {
    await waitUntil('the model is ready', async () => {
      const { statusCode } = await fastify.inject({ url: '/health/ready' });
      return statusCode === 200;
    });
    const asked = { module: fixture('recorder'), function: 'recorder' };
    expect((await send('POST', '/admin/models/own', asked)).statusCode).toBe(201);
    expect((await send('POST', '/admin/models/own', asked)).statusCode).toBe(409);
    expect((await send('POST', '/admin/models/later?wait=false', asked)).statusCode).toBe(202);
    await waitUntil('its outcome is known', () => audited().length === 3);
    await send('DELETE', '/admin/models/later/1');
    const gone = { ...asked, version: '2', function: 'gone' };
    await send('POST', '/admin/models/later?wait=false', gone);
    await waitUntil('its outcome is known', () => audited().length === 5);
    const body = expect.objectContaining({ function: 'recorder' }) as object;
    expect(audited()).toMatchObject([
      { action: 'register', model: 'own', version: '1', outcome: 'ok', body, query: {} },
      { action: 'register', model: 'own', outcome: 'model_exists' },
      { action: 'register', model: 'later', version: '1', outcome: 'ok', query: { wait: 'false' } },
      { action: 'remove', model: 'later', version: '1', outcome: 'ok' },
      { action: 'register', model: 'later', version: '2', outcome: 'model_not_loadable' },
    ]);
    expect(JSON.stringify(lines)).not.toContain('s3cret');
  });
});
