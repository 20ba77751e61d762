import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { occupy } from '../harness/occupy.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const RUN_MS = 100;
/** One run to warm up, and those that an estimate needs. */
const RUNS = 10;
const settings = { module: fixture('recorder'), max_batch_size: 4 };
const server = await startServer({
  models: {
    deadlines: settings,
    'queue-delay': { ...settings, max_queue_delay: 0 },
    fresh: settings,
    target: { ...settings, target_latency: 0.3 },
    bursty: { ...settings, max_batch_size: 32, target_latency: 5 },
  },
});
afterAll(() => stopAndCheck(server));

const run = (model: string, ms = RUN_MS) => server.predict(model, 'x', { parameters: { sleep: ms } });

async function learn(model: string): Promise<void> {
  for (let count = 0; count < RUNS; count++) expect((await run(model)).status).toBe(200);
}

describe('a request that would be answered too late', () => {
  it('is refused with 429, the reason and when to try again, before its body is parsed', async () => {
    await learn('deadlines');
    const { gate, answer } = await occupy(server, 'deadlines');
    const refused = await server.send('/models/deadlines/predict', {
      method: 'POST',
      headers: { 'x-request-timeout': '0.05' },
      body: 'this is not JSON',
    });
    expect([refused.status, refused.body.code]).toEqual([429, 'predicted_late']);
    expect(refused.body.detail).toMatch(/after its deadline: about 0\.\d+ s in place of 0\.05 s/);
    expect(refused.headers.get('retry-after')).toBe('1');
    gate.open();
    expect((await answer).status).toBe(200);
    expect((await run('deadlines')).status).toBe(200);
  });

  it('is refused by what its list would take, and a list is refused as a whole', async () => {
    const { gate, answer } = await occupy(server, 'deadlines');
    const inputs = Array.from({ length: 100 }, (_, index) => index);
    const send = (timeout: string) =>
      server.send('/models/deadlines/predict', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-request-timeout': timeout },
        body: JSON.stringify({ inputs }),
      });
    expect(await send('1')).toMatchObject({ status: 429, body: { code: 'predicted_late' } });
    expect((await server.metrics()).queueSize('deadlines')).toBe(0);
    gate.open();
    await answer;
  });

  it('is the one that finds no free worker where nobody may wait', async () => {
    await learn('queue-delay');
    const { gate, answer } = await occupy(server, 'queue-delay');
    const { status, body } = await run('queue-delay');
    expect([status, body.code]).toEqual([429, 'predicted_late']);
    expect(body.detail).toMatch(/max_queue_delay/);
    gate.open();
    expect((await answer).status).toBe(200);
    expect((await run('queue-delay')).status).toBe(200);
  });

  it('is the one behind a backlog that misses the target; the next batch is always filled', async () => {
    await learn('target');
    const { gate, answer } = await occupy(server, 'target');
    const calls = Array.from({ length: 100 }, () => run('target', 0));
    await server.untilMetrics(
      'all have been looked at',
      (metrics) =>
        metrics.queueSize('target') +
          metrics.value('smartbatch_requests_refused_total', { model: 'target' }) ===
        calls.length,
    );
    const waiting = (await server.metrics()).queueSize('target');
    expect(waiting).toBeGreaterThanOrEqual(4);
    // Two batches of 0.1 s and the own one are more than the target allows; some pass the guard at the same time.
    expect(waiting).toBeLessThanOrEqual(12);
    gate.open();
    const answers = await Promise.all([answer, ...calls]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1 + waiting);
    const codes = answers.filter(({ status }) => status === 429).map(({ body }) => body.code);
    expect(new Set(codes)).toEqual(new Set(['predicted_late']));
  });

  it('BC-065: is not known before enough batches have run', async () => {
    const { gate, answer } = await occupy(server, 'fresh');
    const headers = { 'x-request-timeout': '0.05' };
    const { status, body } = await server.predict('fresh', 'late', { headers });
    expect([status, body.code]).toEqual([504, 'deadline_exceeded']);
    gate.open();
    expect((await answer).status).toBe(200);
  });
});

describe('a server that had little to do', () => {
  it('BC-065: refuses nobody of a burst after a trickle and an idle spell', async () => {
    for (let count = 0; count < 12; count++) {
      expect((await run('bursty', 20)).status).toBe(200);
      await sleep(50);
    }
    await sleep(2000);
    const burst = await Promise.all(Array.from({ length: 100 }, () => run('bursty', 20)));
    expect(burst.map(({ status }) => status)).toEqual(burst.map(() => 200));
  });
});
