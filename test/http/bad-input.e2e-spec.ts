import { gzipSync } from 'node:zlib';
import { pack } from 'msgpackr';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../harness/answer.js';
import { fixture } from '../harness/configuration-file.js';
import type { MetricsText } from '../harness/metrics-text.js';
import { answerTo, openPost } from '../harness/raw-request.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const BODY_LIMIT = 65_536;
const JSON_TYPE = 'application/json';
const MESSAGE_PACK = 'application/msgpack';
const server = await startServer({
  models: {
    echo: { module: fixture('recorder'), version: 'v1' },
    double: { module: fixture('tensors'), function: 'double' },
  },
  environment: { SMARTBATCH_BODY_LIMIT: String(BODY_LIMIT) },
});
afterAll(() => stopAndCheck(server));

let before: MetricsText;
beforeEach(async () => {
  before = await server.metrics();
});
afterEach(() => expectKeptFromQueue());

/** None of these requests may reach a queue, and each is counted as rejected. */
async function expectKeptFromQueue(): Promise<void> {
  await server.untilMetrics('the request has ended', (metrics) => endedIn(metrics) > endedIn(before));
  const after = await server.metrics();
  const rejected = { outcome: 'rejected' };
  expect(endedIn(after, rejected)).toBe(endedIn(before, rejected) + 1);
  for (const model of ['echo', 'double']) expect(after.batches(model)).toEqual(before.batches(model));
}

function endedIn(metrics: MetricsText, labels = {}): number {
  return metrics.value('smartbatch_requests_total', labels);
}

function post(
  model: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const init = { method: 'POST', headers: { 'content-type': JSON_TYPE, ...headers }, body };
  return server.send(`/models/${model}/predict`, init);
}

/** Status and code of a problem, which must have all that a problem has. */
function problem({ status, headers, body }: Answer): [number, string] {
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(Object.keys(body)).toEqual(
    expect.arrayContaining(['type', 'title', 'status', 'detail', 'code', 'request_id']),
  );
  expect(body.status).toBe(status);
  expect(body.request_id).toBe(headers.get('x-request-id'));
  return [status, body.code];
}

describe('a body that cannot be read is answered with 400', () => {
  it.each([
    ['not JSON', JSON_TYPE, Buffer.from('{"data": ')],
    ['empty', JSON_TYPE, Buffer.alloc(0)],
    [
      'not UTF-8 (BC-103)',
      JSON_TYPE,
      Buffer.concat([Buffer.from('{"data":"'), Buffer.of(0xc3, 0x28), Buffer.from('"}')]),
    ],
    ['not MessagePack', MESSAGE_PACK, Buffer.from('data=1')],
    ['empty MessagePack', MESSAGE_PACK, Buffer.alloc(0)],
    ['cut-off MessagePack', MESSAGE_PACK, pack({ data: 'a text that is long enough' }).subarray(0, 12)],
    ['MessagePack with more behind it', MESSAGE_PACK, Buffer.concat([pack({ data: 1 }), pack({ data: 2 })])],
    ['MessagePack that claims 2^32 elements (BC-100)', MESSAGE_PACK, Buffer.of(0xdd, 0xff, 0xff, 0xff, 0xff)],
    ['MessagePack that claims 4 GiB (BC-100)', MESSAGE_PACK, Buffer.of(0xc6, 0xff, 0xff, 0xff, 0xff)],
    ['MessagePack nested 60,000 deep (BC-100)', MESSAGE_PACK, Buffer.alloc(60_000, 0x91)],
  ])('%s', async (_, type, body) => {
    expect(problem(await post('echo', body, { 'content-type': type }))).toEqual([400, 'unreadable_body']);
  });

  it.each(['soon', '', '0', '-1', 'Infinity', 'NaN'])('X-Request-Timeout: "%s"', async (timeout) => {
    const answer = await post('echo', '{"data":1}', { 'x-request-timeout': timeout });
    expect(problem(answer)).toEqual([400, 'invalid_header']);
    expect(answer.body.detail).toContain('X-Request-Timeout');
  });
});

describe('a body that does not fit is answered with 422 that names the field', () => {
  it.each([
    ['echo', '{}', '/data'],
    ['echo', '{"Data": 1}', '/data'],
    ['echo', '{"data": 1, "parameters": 7}', '/parameters'],
    ['echo', '{"data": 1, "parameter": {}}', '/parameter'],
    ['echo', 'null', 'the body'],
    ['echo', '[1]', 'the body'],
    ['double', '{"data": [[1, 2, 3], [4, 5]]}', '/data/1'],
    ['double', '{"data": [[1, 2, 3], [4, "5", 6]]}', '/data/1/1'],
    ['double', '{"data": [[1, 2, 3]]}', '/data'],
    ['double', '{"data": {"dtype": "float64", "shape": [2, 3], "data": [1, 2, 3, 4, 5, 6]}}', '/data/dtype'],
    ['double', '{"data": {"dtype": "float32", "shape": [3, 2], "data": [1, 2, 3, 4, 5, 6]}}', '/data/shape'],
    ['double', '{"data": {"dtype": "float32", "shape": [2, 3], "data": [1, 2, 3]}}', '/data/data'],
  ])('%s: %s', async (model, body, field) => {
    const answer = await post(model, body);
    expect(problem(answer)).toEqual([422, 'invalid_input']);
    expect(answer.body.errors?.[0]?.field).toBe(field);
    expect(answer.body.detail).toContain(field);
  });
});

it('BC-100: a body nested 20,000 deep is answered with 422', async () => {
  const answer = await post('echo', `{"data": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`);
  expect(problem(answer)).toEqual([422, 'invalid_input']);
});

describe('what does not exist is answered with 404 that names it', () => {
  it.each([
    ['nope', 'nope', 'model_not_found'],
    ['constructor', 'constructor', 'model_not_found'],
    [encodeURIComponent('数字'), '数字', 'model_not_found'],
    ['echo/predict?version=v2&', 'v2', 'version_not_found'],
  ])('%s', async (path, named, code) => {
    const answer = await post(path, '{"data":1}');
    expect(problem(answer)).toEqual([404, code]);
    expect(answer.body.detail).toContain(named);
  });
});

describe('BC-100: a body above the limit is answered with 413', () => {
  const text = 'x'.repeat(2 * BODY_LIMIT);
  const bodies = {
    [JSON_TYPE]: JSON.stringify({ data: text }),
    [MESSAGE_PACK]: pack({ data: text }),
    'text/plain': text,
  };

  it.each(Object.entries(bodies))('%s with its length', async (type, body) => {
    expect(problem(await post('echo', body, { 'content-type': type }))).toEqual([413, 'body_too_large']);
  });

  it.each(Object.keys(bodies))('%s in chunks, before it has ended', async (type) => {
    const open = openPost(`${server.url}/models/echo/predict`, { headers: { 'content-type': type } });
    const answer = answerTo(open);
    // The server closes the connection that this goes on writing to.
    open.on('error', () => undefined);
    const chunk = Buffer.alloc(4096, 0x20);
    let written = 0;
    const writer = setInterval(() => {
      open.write(chunk);
      written += chunk.length;
    }, 1);
    const { status, body } = await answer;
    clearInterval(writer);
    open.destroy();
    expect([status, body.code]).toEqual([413, 'body_too_large']);
    expect(written).toBeGreaterThan(BODY_LIMIT);
  });
});

describe('what the server does not read is answered with 415', () => {
  it.each(['text/plain', 'application/xml', 'multipart/form-data', 'nonsense'])('%s', async (type) => {
    const answer = await post('echo', '{"data":1}', { 'content-type': type });
    expect(problem(answer)).toEqual([415, 'unsupported_media_type']);
  });

  it.each(['gzip', 'br', 'gzip, identity'])('BC-101: content encoding %s', async (encoding) => {
    const body = gzipSync(JSON.stringify({ data: 'x'.repeat(10 * BODY_LIMIT) }));
    expect(body.length).toBeLessThan(BODY_LIMIT);
    const answer = await post('echo', body, { 'content-encoding': encoding });
    expect(problem(answer)).toEqual([415, 'unsupported_content_encoding']);
  });
});
