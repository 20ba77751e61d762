import { once } from 'node:events';
import { Agent } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { occupy } from '../harness/occupy.js';
import { answerTo, openPost } from '../harness/raw-request.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const MODEL = 'narrow';
const server = await startServer({
  models: { [MODEL]: { module: fixture('recorder'), max_batch_size: 1, max_queue_size: 1 } },
});
afterAll(() => stopAndCheck(server));

const url = `${server.url}/models/${MODEL}/predict`;
const body = JSON.stringify({ data: 'x'.repeat(5_000_000) });
const headers = { 'content-type': 'application/json', 'content-length': body.length };

/** A model whose one place to run and whose one place to wait are taken. */
async function filled(): Promise<{ free(): Promise<void> }> {
  const { gate, answer } = await occupy(server, MODEL);
  const waiting = server.predict(MODEL, 'waiting');
  await server.untilMetrics('one waits', (metrics) => metrics.queueSize(MODEL) === 1);
  return {
    free: async () => {
      gate.open();
      await Promise.all([answer, waiting]);
    },
  };
}

async function bodies(): Promise<{ read: number; parsed: number }> {
  const metrics = await server.metrics();
  const count = (what: string) => metrics.value(`smartbatch_bodies_${what}_total`, { model: MODEL });
  return { read: count('read'), parsed: count('parsed') };
}

describe('a large body that nobody has time for', () => {
  it('BC-070: is refused when its headers are there, and its connection goes on', async () => {
    const full = await filled();
    const before = await bodies();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const refused = openPost(url, { headers, agent });
    refused.flushHeaders();
    expect(await answerTo(refused)).toMatchObject({ status: 429, body: { code: 'queue_full' } });
    // Only now it is sent.
    refused.end(body);
    await full.free();
    const next = openPost(url, { headers, agent });
    next.end(body);
    expect((await answerTo(next)).status).toBe(200);
    expect(next.reusedSocket).toBe(true);
    expect(await bodies()).toEqual({ read: before.read + 1, parsed: before.parsed + 1 });
    const refusals = (await server.metrics()).value('smartbatch_requests_refused_total', {
      model: MODEL,
      code: 'queue_full',
    });
    expect(refusals).toBe(1);
    agent.destroy();
  });

  it('is not even asked for where its client asks first', async () => {
    const full = await filled();
    const expectant = { ...headers, expect: '100-continue' };
    const refused = openPost(url, { headers: expectant });
    let isWelcome = false;
    refused.once('continue', () => (isWelcome = true));
    refused.flushHeaders();
    const [answer] = (await once(refused, 'response')) as [{ statusCode: number; headers: object }];
    expect(answer).toMatchObject({ statusCode: 429, headers: { connection: 'close' } });
    expect(isWelcome).toBe(false);
    refused.destroy();
    await full.free();
    const next = openPost(url, { headers: expectant });
    next.flushHeaders();
    await once(next, 'continue');
    next.end(body);
    expect((await answerTo(next)).status).toBe(200);
  });

  it('in chunks is refused as early', async () => {
    const full = await filled();
    const refused = openPost(url, { headers: { 'content-type': 'application/json' } });
    refused.flushHeaders();
    expect((await answerTo(refused)).status).toBe(429);
    refused.destroy();
    await full.free();
  });
});
