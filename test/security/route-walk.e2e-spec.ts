import 'reflect-metadata';
import { createLogger } from '#telemetry';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { Packr } from 'msgpackr';
import { afterAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load-settings.js';
import { createServer } from '../../src/create-server.js';
import { fixture, writeConfiguration } from '../harness/configuration-file.js';
import { readRouteTable } from '../harness/route-table.js';
import { waitUntil } from '../harness/wait-until.js';

const settings = loadSettings({
  SMARTBATCH_CONFIG: writeConfiguration({ unmentionable: { module: fixture('recorder') } }),
  SMARTBATCH_ADMIN_TOKEN: 'operator-secret',
  SMARTBATCH_API_KEYS: 'client-secret',
  SMARTBATCH_DEVICES: 'cpu',
});
const app = await createServer(settings, createLogger('silent'));
await app.init();
const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
await fastify.ready();
afterAll(() => app.close());

await waitUntil('the model is ready', async () => (await send('GET', '/health/ready')).status === 200);

const ROUTES = readRouteTable(fastify.printRoutes({ commonPrefix: false }));
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What answers anyone, on purpose. What is not here needs a secret. */
const PUBLIC = new Set([
  '/health',
  '/health/live',
  '/health/ready',
  '/docs',
  '/docs/',
  '/docs/*',
  '/docs/LICENSE',
  '/docs/errors',
  '/docs/index.html',
  '/docs/swagger-ui-init.js',
  '/docs/docs/swagger-ui-init.js',
  '/openapi.json',
  '/openapi.yaml',
]);
const FOR_CLIENTS = new Set(['/models/:name/predict', '/models/:name/stream']);
const FOR_OPERATORS = ROUTES.filter(({ path }) => !PUBLIC.has(path) && !FOR_CLIENTS.has(path));

type Headers = Readonly<Record<string, string>>;

async function send(method: HTTPMethods, url: string, headers: Headers = {}, payload?: Buffer | string) {
  const answer = await fastify.inject({
    method,
    url,
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body };
}

/** A path of this route, for the model that is served. */
function pathOf(route: string): string {
  const values: Readonly<Record<string, string>> = {
    ':name': 'unmentionable',
    ':version': '1',
    '*': 'swagger-ui.css',
  };
  return route.replace(/:\w+|\*/g, (parameter) => values[parameter] ?? 'x');
}

const BODY = { module: './counting.js', function: 'default' };
const NO_SECRET: readonly (readonly [string, Headers, (string | Buffer)?])[] = [
  ['nothing', {}],
  ['JSON', { 'content-type': 'application/json' }, JSON.stringify(BODY)],
  ['MessagePack', { 'content-type': 'application/msgpack' }, new Packr().pack(BODY)],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'module=x'],
  ['a body that cannot be read', { 'content-type': 'application/json' }, '{'],
  ["a client's key", { authorization: 'Bearer client-secret' }],
  ["a client's key as such", { 'x-api-key': 'client-secret' }],
  ['another token', { authorization: 'Bearer operator-secret2' }],
  ['half a token', { authorization: 'Bearer operator-secre' }],
  ['an empty token', { authorization: 'Bearer ' }],
  ['another scheme', { authorization: `Basic ${Buffer.from('operator-secret:').toString('base64')}` }],
  ['a token without a scheme', { authorization: 'operator-secret' }],
  ['a token in a cookie', { cookie: 'token=operator-secret' }],
  ['the address of this machine', { 'x-forwarded-for': '127.0.0.1', host: '127.0.0.1' }],
  ['another method in a header', { 'x-http-method-override': 'OPTIONS' }],
];

/** Other ways to write a path. */
const SPELLINGS: readonly (readonly [string, (path: string) => string])[] = [
  ['a trailing slash', (path) => `${path}/`],
  ['a query', (path) => `${path}?token=operator-secret&access_token=operator-secret`],
  ['a fragment', (path) => `${path}#x`],
  ['two slashes in front', (path) => `/${path}`],
  ['two slashes inside', (path) => path.replace(/(?<!^)\//, '//')],
  ['upper case', (path) => path.toUpperCase()],
  ['a dot', (path) => `/.${path}`],
  ['a detour', (path) => `/health/..${path}`],
  ['an encoded detour', (path) => `/health/%2e%2e${path}`],
  ['an encoded slash', (path) => path.replace(/(?<!^)\//, '%2f')],
  ['an encoded letter', (path) => path.replace('m', '%6d')],
  ['a matrix parameter', (path) => `${path};x=1`],
  ['an ending', (path) => `${path}.json`],
  ['a NUL', (path) => `${path}%00`],
];

describe('BC-121, BC-122: without a token', () => {
  it('there are routes to walk', () => {
    const paths = new Set(FOR_OPERATORS.map(({ path }) => path));
    expect(paths).toContain('/admin/models');
    expect(paths).toContain('/admin/models/:name/:version');
    expect(paths).toContain('/admin/models/:name/traffic');
    expect(paths).toContain('/metrics');
    for (const path of [...PUBLIC, ...FOR_CLIENTS]) expect(ROUTES.map((route) => route.path)).toContain(path);
  });

  it.each(FOR_OPERATORS)('$method $path is refused, whatever comes with it', async ({ method, path }) => {
    const letThrough: string[] = [];
    for (const [what, headers, payload] of NO_SECRET) {
      const { status, headers: answered } = await send(method, pathOf(path), headers, payload);
      const challenge = String(answered['www-authenticate']);
      if (status !== 401 || !challenge.startsWith('Bearer realm="smartbatch"'))
        letThrough.push(`${what}: ${status}`);
    }
    expect(letThrough).toEqual([]);
  });

  it.each(FOR_OPERATORS)('$method $path is refused, however it is spelled', async ({ method, path }) => {
    const letThrough: string[] = [];
    for (const [what, spell] of SPELLINGS) {
      const { status } = await send(method, spell(pathOf(path)));
      // What is not this route is no route at all.
      if (status !== 401 && status !== 404) letThrough.push(`${what}: ${status}`);
    }
    expect(letThrough).toEqual([]);
  });

  it.each([...new Set(FOR_OPERATORS.map(({ path }) => path))])(
    '%s has no method that is let through',
    async (path) => {
      const mapped = ROUTES.filter((route) => route.path === path).map(({ method }) => method);
      const letThrough: string[] = [];
      for (const method of METHODS) {
        const { status } = await send(method, pathOf(path));
        // What this path does not have may be another's, which takes its last part for a parameter.
        const isRefused = status === 401 || (status === 404 && !mapped.includes(method));
        if (!isRefused) letThrough.push(`${method}: ${status}`);
      }
      expect(letThrough).toEqual([]);
    },
  );

  it('BC-124 nothing tells which models there are', async () => {
    const telling: string[] = [];
    for (const { method, path } of ROUTES) {
      const { text } = await send(method, pathOf(path).replace('/unmentionable', '/no-such'));
      if (text.includes('unmentionable')) telling.push(path);
    }
    expect(telling).toEqual([]);
  });
});

describe('every other route', () => {
  it.each(ROUTES.filter(({ path }) => FOR_CLIENTS.has(path)))(
    '$method $path wants a key',
    async ({ method, path }) => {
      expect((await send(method, pathOf(path))).status).toBe(401);
      expect((await send(method, pathOf(path), { 'x-api-key': 'client' })).status).toBe(401);
      for (const headers of [
        { 'x-api-key': 'client-secret' },
        { authorization: 'bearer client-secret' },
        { authorization: 'Bearer operator-secret' },
      ] as Headers[]) {
        expect((await send(method, pathOf(path), headers)).status).not.toBe(401);
      }
    },
  );

  it.each(ROUTES.filter(({ path }) => PUBLIC.has(path)))(
    '$method $path answers anyone, on purpose',
    async ({ method, path }) => {
      expect([401, 403]).not.toContain((await send(method, pathOf(path))).status);
    },
  );
});

describe('with a token', () => {
  it.each(FOR_OPERATORS.filter(({ method }) => method === 'GET' || method === 'HEAD'))(
    '$method $path is let through',
    async ({ method, path }) => {
      const { status } = await send(method, pathOf(path), { authorization: 'Bearer operator-secret' });
      expect([401, 403]).not.toContain(status);
    },
  );
});
