import { pack, unpack } from 'msgpackr';
import { afterAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

/** Large enough for a thread of its own to decode it. */
const NUMBERS = Array.from({ length: 60_000 }, (_, index) => index / 1000 - 0.5005);
const FLOATS = Float32Array.from(NUMBERS);
const RECORDER = { module: fixture('recorder'), max_batch_size: 4 };

const server = await startServer({
  models: {
    thread: RECORDER,
    process: { ...RECORDER, isolation: 'process' },
    costly: { ...RECORDER, cost: 'elements', max_batch_cost: 50_000 },
    single: { ...RECORDER, max_batch_size: 1, max_queue_size: 1 },
    negate: { module: fixture('tensors'), function: 'negate' },
  },
});
afterAll(() => stopAndCheck(server));

function post(model: string, type: string, body: string | Uint8Array): Promise<Response> {
  const headers = { 'content-type': type };
  return fetch(`${server.url}/models/${model}/predict`, { method: 'POST', headers, body });
}

async function parsedBodies(model: string): Promise<number> {
  return (await server.metrics()).value('smartbatch_bodies_parsed_total', { model });
}

describe('a large body', () => {
  it.each(['thread', 'process'])('reaches a model in a %s as it was sent', async (model) => {
    const data = { numbers: NUMBERS, text: 'é', nothing: null, nested: [[1], [true, {}]] };
    const { status, body } = await server.predict<Recorded>(model, data);
    expect(status).toBe(200);
    expect(body.result.data).toEqual(data);
  });

  it('may be a list, whose items keep their order', async () => {
    const items = Array.from({ length: 12 }, (_, index) => ({ index, filling: 'x'.repeat(40_000) }));
    const response = await post('thread', 'application/json', JSON.stringify({ inputs: items }));
    const { results } = (await response.json()) as { results: Recorded[] };
    expect(results.map(({ data }) => data)).toEqual(items);
  });

  it('costs what it would cost if it were small', async () => {
    expect(await server.predict('costly', NUMBERS)).toMatchObject({
      status: 413,
      body: { code: 'cost_too_large' },
    });
    expect((await server.predict('costly', NUMBERS.slice(0, 49_000))).status).toBe(200);
  });

  it('is refused with the place where it is wrong', async () => {
    const broken = `{"data": [${NUMBERS.join()}, ]}`;
    const unreadable = await post('thread', 'application/json', broken);
    expect(await unreadable.json()).toMatchObject({ status: 400, code: 'unreadable_body' });
    const { status, body } = await server.predict('negate', [...NUMBERS.slice(1), 'seven']);
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [{ field: '/data/59999' }] });
  });

  it('gives tensors and large answers, as JSON and as MessagePack', async () => {
    const negated = Array.from(FLOATS, (value) => Math.fround(-value));
    const { body } = await server.predict<{ data: number[] }>('negate', NUMBERS);
    expect(body.result.data.map(Math.fround)).toEqual(negated);
    const data = Buffer.from(new Float32Array(300_000).fill(2).buffer);
    const packed = pack({ data: { dtype: 'float32', shape: [300_000], data } });
    const answer = await post('negate', 'application/msgpack', packed);
    const { result } = unpack(Buffer.from(await answer.arrayBuffer())) as { result: { data: Uint8Array } };
    expect(new Set(new Float32Array(Uint8Array.from(result.data).buffer))).toEqual(new Set([-2]));
  });

  it('BC-070: is not decoded in vain: while others are decoded, their places are taken', async () => {
    const before = await parsedBodies('single');
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => server.predict<Recorded>('single', NUMBERS)),
    );
    const served = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(12 - served);
    expect(served).toBeGreaterThan(0);
    expect(await parsedBodies('single')).toBe(before + served);
  });
});
