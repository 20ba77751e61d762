import { afterAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture } from '../harness/configuration-file.js';
import { occupy } from '../harness/occupy.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const module = fixture('recorder');
const server = await startServer({
  models: {
    recorder: { module, max_batch_size: 4, max_queue_size: 16 },
    narrow: { module, max_batch_size: 1, max_queue_size: 16 },
    costly: { module, cost: 'length', max_batch_cost: 10 },
    matching: { module, match_parameters: ['language'] },
  },
});
afterAll(() => stopAndCheck(server));

interface ListAnswer {
  readonly results: readonly (Recorded | null)[];
  readonly errors?: readonly { readonly index: number; readonly code: string }[];
  readonly request_id: string;
}

async function sendList(
  model: string,
  inputs: readonly unknown[],
  extras: object = {},
  signal?: AbortSignal,
) {
  const { status, body } = await server.send(`/models/${model}/predict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'list' },
    body: JSON.stringify({ inputs, ...extras }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { status, body: body as unknown as ListAnswer & { readonly code?: string } };
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('many items in one call', () => {
  it('come back in their order, also when they are more than a batch may hold', async () => {
    const { status, body } = await sendList('recorder', range(11));
    expect(status).toBe(200);
    expect(body.results.map((result) => result?.data)).toEqual(range(11));
    expect(Math.max(...body.results.map((result) => result!.size))).toBeLessThanOrEqual(4);
    expect(body.results.map((result) => result?.requestId)).toEqual(range(11).map((n) => `list/${n}`));
    expect([body.request_id, body.errors]).toEqual(['list', undefined]);
  });

  it('BC-077 leave traces in the metrics: why batches started, how large they were, how long they waited and ran', async () => {
    const metrics = await server.metrics();
    expect(metrics.has('smartbatch_batches_total', { model: 'recorder', trigger: 'full' })).toBe(true);
    for (const histogram of ['batch_size', 'queue_wait_seconds', 'batch_run_seconds']) {
      expect(metrics.value(`smartbatch_${histogram}_count`, { model: 'recorder' })).toBeGreaterThan(0);
    }
  });

  it('are checked one by one before any of them is queued', async () => {
    const before = (await server.metrics()).batches('recorder').count;
    for (const inputs of [[], 'text', { 0: 1 }]) {
      const { status, body } = await sendList('recorder', inputs as never);
      expect([status, body.code]).toEqual([422, 'invalid_input']);
    }
    expect((await server.metrics()).batches('recorder').count).toBe(before);
  });

  it('are refused when no queue of the model could ever hold them, saying how many it can', async () => {
    const { status, body } = await sendList('recorder', range(17));
    expect([status, body.code]).toEqual([422, 'invalid_input']);
    expect((body as unknown as { detail: string }).detail).toContain('at most 16');
  });

  it('are queued all or none', async () => {
    const { gate, answer: running } = await occupy(server, 'narrow');
    const waiting = range(10).map((n) => server.predict('narrow', n));
    await server.untilMetrics('ten wait', (metrics) => metrics.queueSize('narrow') === 10);
    const { status, body } = await sendList('narrow', range(7));
    expect([status, body.code]).toEqual([429, 'queue_full']);
    expect((await server.metrics()).queueSize('narrow')).toBe(10);
    gate.open();
    await Promise.all([running, ...waiting]);
  });

  it('BC-062 all leave with their client, also those that wait', async () => {
    const { gate, answer: running } = await occupy(server, 'narrow');
    const before = (await server.metrics()).batches('narrow').items;
    const client = new AbortController();
    const gone = sendList('narrow', range(8), {}, client.signal).catch(() => 'gone');
    await server.untilMetrics('all parts wait', (metrics) => metrics.queueSize('narrow') === 8);
    client.abort();
    expect(await gone).toBe('gone');
    await server.untilMetrics('no part waits', (metrics) => metrics.queueSize('narrow') === 0);
    gate.open();
    await running;
    expect((await server.predict<Recorded>('narrow', 'next')).body.result.data).toBe('next');
    expect((await server.metrics()).batches('narrow').items - before).toBe(2);
  });
});

describe('who shares a batch', () => {
  it('BC-010 an item that alone costs more than a batch may hold is refused with 413', async () => {
    const [good, bad] = await Promise.all([
      server.predict<Recorded>('costly', 'short'),
      server.predict('costly', 'much too long'),
    ]);
    expect([good.status, bad.status, bad.body.code]).toEqual([200, 413, 'cost_too_large']);
  });

  it('BC-028 only requests whose matching parameters are equal', async () => {
    const languages = ['en', 'de', 'en', 'de', 'en'];
    const answers = await Promise.all(
      languages.map((language) =>
        server.predict<Recorded>('matching', language, { parameters: { language } }),
      ),
    );
    const batchOf = new Map<number, Set<string>>();
    for (const { body } of answers) {
      const { batch, data } = body.result;
      batchOf.set(batch, (batchOf.get(batch) ?? new Set()).add(String(data)));
    }
    expect([...batchOf.values()].every(({ size }) => size === 1)).toBe(true);
  });

  it('a higher priority leaves first', async () => {
    const { gate, answer: running } = await occupy(server, 'narrow');
    const send = async (priority: string) => {
      const before = (await server.metrics()).queueSize('narrow');
      const answer = server.predict<Recorded>('narrow', priority, {
        headers: { 'x-request-priority': priority },
      });
      await server.untilMetrics('it waits', (metrics) => metrics.queueSize('narrow') === before + 1);
      return { answer };
    };
    const sent = [await send('10'), await send('0'), await send('1')];
    gate.open();
    const [low, normal, high] = await Promise.all(sent.map(({ answer }) => answer));
    await running;
    const order = [high, normal, low].map((answer) => answer!.body.result.batch);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it.each(['-1', '11', 'high', '1.5'])('a priority of %s is refused by name', async (priority) => {
    const { status, body } = await server.predict('narrow', 1, {
      headers: { 'x-request-priority': priority },
    });
    expect([status, body.code]).toEqual([400, 'invalid_header']);
    expect(body.detail).toContain('X-Request-Priority');
  });
});
