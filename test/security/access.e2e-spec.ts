import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { fixture, writeConfiguration } from '../harness/configuration-file.js';
import { MetricsText } from '../harness/metrics-text.js';
import { answerTo, openPost } from '../harness/raw-request.js';
import { ServerProcess } from '../harness/server-process.js';
import { startServer } from '../harness/start-server.js';
import { waitUntil } from '../harness/wait-until.js';

const OPERATOR = { authorization: 'Bearer operator-s3cret' };
const CLIENT = { 'x-api-key': 'client-s3cret' };

const models = { recorder: { module: fixture('recorder') } };
const server = await startServer({
  models,
  environment: {
    SMARTBATCH_ADMIN_TOKEN: 'operator-s3cret,next-s3cret',
    SMARTBATCH_API_KEYS: 'client-s3cret',
    LOG_LEVEL: 'trace',
  },
});
const open = await startServer({ models: {} });
const watched = await startServer({
  models: {},
  environment: { SMARTBATCH_ADMIN_TOKEN: 'operator-s3cret', SMARTBATCH_METRICS: 'everyone' },
});
afterAll(() => Promise.all([server, open, watched].map((each) => each.stop())));

/** What a server writes takes its way through a pipe. */
const untilLogged = (changes: number) =>
  waitUntil('the audit log has it', () => server.logged('admin change').length >= changes);

const status = async (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  (await fetch(server.url + path, { method, headers })).status;

async function text(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await fetch(server.url + path, { headers })).text();
}

describe('a server with secrets', () => {
  it('answers 401 as a problem that says how to authenticate', async () => {
    const { status: code, body, headers } = await server.predict('recorder', 1);
    expect([code, body.code, headers.get('www-authenticate')]).toEqual([
      401,
      'unauthorized',
      'Bearer realm="smartbatch"',
    ]);
    const wrong = await server.predict('recorder', 1, { headers: { authorization: 'Bearer other' } });
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer realm="smartbatch", error="invalid_token"');
    expect(await status('/admin/models')).toBe(401);
  });

  it('takes a key as a token or by X-API-Key, an admin token everywhere, and each of several', async () => {
    for (const headers of [CLIENT, { authorization: 'Bearer client-s3cret' }, OPERATOR] as const) {
      expect((await server.predict('recorder', 1, { headers })).status).toBe(200);
    }
    expect(await status('/admin/models', CLIENT)).toBe(401);
    expect(await status('/admin/models', OPERATOR)).toBe(200);
    expect(await status('/admin/models', { authorization: 'Bearer next-s3cret' })).toBe(200);
  });

  it('BC-124 tells strangers no models: not by health, metrics, docs or errors', async () => {
    const paths = ['/health', '/health/ready', '/openapi.json', '/openapi.yaml', '/docs/swagger-ui-init.js'];
    for (const path of [...paths, '/metrics', '/admin/models', '/models/none/predict']) {
      expect(await text(path)).not.toContain('recorder');
    }
    expect(await status('/metrics')).toBe(401);
    expect(JSON.parse(await text('/health'))).toEqual({ status: 'ok' });
    for (const path of [...paths.slice(0, 2), '/metrics'])
      expect(await text(path, OPERATOR)).toContain('recorder');
    for (const path of paths.slice(2)) expect(await text(path, CLIENT)).toContain('/models/recorder/predict');
    const { body } = await server.predict('none', 1, { headers: CLIENT });
    expect(body.detail).toBe("there is no model 'none'");
  });

  it('counts what it refused, once', async () => {
    const read = async () => new MetricsText(await text('/metrics', OPERATOR));
    const labels = { model: 'recorder', outcome: 'rejected' };
    const before = (await read()).value('smartbatch_requests_total', labels);
    await server.predict('recorder', 1);
    expect((await read()).value('smartbatch_requests_total', labels)).toBe(before + 1);
  });

  it('refuses before the body is sent, and before it is read', async () => {
    const expecting = openPost(`${server.url}/models/recorder/predict`, {
      headers: { 'content-type': 'application/json', 'content-length': 5_000_000, expect: '100-continue' },
    });
    let continued = false;
    expecting.on('continue', () => {
      continued = true;
    });
    expecting.flushHeaders();
    expect((await answerTo(expecting)).status).toBe(401);
    expect(continued).toBe(false);
    expecting.destroy();
    const half = openPost(`${server.url}/models/recorder/predict`, {
      headers: { 'content-type': 'application/json', 'content-length': 5_000_000 },
    });
    half.write('{"data":');
    expect((await answerTo(half)).status).toBe(401);
    half.destroy();
  });

  it('lets Swagger UI authorize', async () => {
    const { components, security } = JSON.parse(await text('/openapi.json')) as {
      components: { securitySchemes: Record<string, { type: string; scheme?: string; name?: string }> };
      security: object[];
    };
    expect(components.securitySchemes).toMatchObject({
      token: { type: 'http', scheme: 'bearer' },
      key: { type: 'apiKey', name: 'X-API-Key' },
    });
    expect(security).toEqual([{ token: [] }, { key: [] }]);
  });

  it('tells in the audit log which token asked for a change', async () => {
    await fetch(`${server.url}/admin/models/none/1`, { method: 'DELETE', headers: OPERATOR });
    await untilLogged(1);
    const [line] = server.logged('admin change');
    expect(line).toMatchObject({ action: 'remove', model: 'none', outcome: 'model_not_found' });
    expect(line!['operator']).toMatch(/^token-[0-9a-f]{8}$/);
  });

  it('logs no secret, whatever happens', async () => {
    const headers = { ...OPERATOR, ...CLIENT };
    await server.predict('recorder', { fail: true }, { headers });
    await fetch(`${server.url}/admin/models`, { method: 'POST', headers, body: '{' });
    await fetch(`${server.url}/admin/models/none/1`, { method: 'DELETE', headers });
    await fetch(`${server.url}/%ff`, { headers });
    await untilLogged(2);
    const lines = [...server.process.stdoutLines, ...server.process.stderrLines];
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes('s3cret'))).toEqual([]);
  });
});

/** `fetch` sets `Host` itself. */
async function asked(headers: Readonly<Record<string, string>>, method = 'GET'): Promise<number> {
  const sent = request(`${open.url}/admin/models`, { method, headers }).end();
  const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }];
  response.resume();
  return response.statusCode;
}

describe('metrics for everyone', () => {
  it('are read without a token, and nothing else is', async () => {
    expect(await watched.status('/metrics')).toBe(200);
    expect(await watched.status('/admin/models')).toBe(401);
  });
});

describe('a server without a token, on loopback', () => {
  it("answers this machine's user", async () => {
    expect(await asked({})).toBe(200);
    expect(await asked({ host: 'localhost:8000', origin: 'http://localhost:8000' })).toBe(200);
    expect(await open.status('/metrics')).toBe(200);
  });

  it('BC-119 answers no web page of a stranger, and no proxy', async () => {
    expect(await asked({ origin: 'https://evil.example' })).toBe(403);
    expect(await asked({ host: 'evil.example', origin: 'http://evil.example' })).toBe(403);
    expect(await asked({ host: 'evil.example' })).toBe(403);
    expect(await asked({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await asked({ 'x-forwarded-for': '10.0.0.1' })).toBe(403);
  });
});

describe('beyond loopback', () => {
  it.each(['0.0.0.0', '::'])('BC-119 a server at %s does not start without a token', async (host) => {
    const refused = new ServerProcess({ PORT: '0', HOST: host, SMARTBATCH_CONFIG: writeConfiguration({}) });
    expect(await refused.ended).toEqual({ code: 1, signal: null });
    expect(refused.stderrLines).toHaveLength(1);
    expect(refused.stderrLines[0]).toMatch(/^smartbatch: host .* SMARTBATCH_ADMIN_TOKEN/);
  });
});
