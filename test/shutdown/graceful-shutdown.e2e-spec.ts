import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import type { RunningServer } from '../harness/running-server.js';
import type { ProcessEnd } from '../harness/server-process.js';
import { startServer } from '../harness/start-server.js';
import { waitUntil } from '../harness/wait-until.js';

const models = {
  slow: { module: fixture('recorder'), max_batch_size: 2 },
  held: { module: fixture('recorder'), max_batch_size: 32, window: 'fixed', max_wait_time: 25 },
};

/** Stops the server with one batch running and more waiting, and returns how it ended. */
async function stopUnderWay(server: RunningServer, signal: NodeJS.Signals): Promise<ProcessEnd> {
  const gate = new Gate();
  const running = server.predict<Recorded>('slow', 'running', { parameters: { gate: gate.path } });
  await gate.entered();
  const waiting = [1, 2, 3, 4, 5].map((data) => server.predict<Recorded>('slow', data));
  await server.untilMetrics('five wait', (metrics) => metrics.queueSize('slow') === 5);
  const end = server.stop(signal);
  await waitUntil('readiness is down', async () => (await server.status('/health/ready')) === 503);

  const refused = await server.predict('slow', 'too late');
  expect([refused.status, refused.body.code]).toEqual([503, 'draining']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(server.process.hasEnded).toBe(false);

  gate.open();
  const answers = await Promise.all([running, ...waiting]);
  expect(answers.map(({ status, body }) => [status, body.result.data])).toEqual(
    ['running', 1, 2, 3, 4, 5].map((data) => [200, data]),
  );
  expect(server.process.stderrLines).toEqual([]);
  return end;
}

describe('BC-095, P7: the end of the server', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s: answers what was admitted, refuses what is new, exits with 0',
    async (signal) => {
      const end = await stopUnderWay(await startServer({ models }), signal);
      expect(end).toEqual({ code: 0, signal: null });
    },
  );

  it('answers a batch that is still held open for its window', async () => {
    const server = await startServer({ models });
    const held = server.predict<Recorded>('held', 'held');
    await server.untilMetrics('it waits', (metrics) => metrics.queueSize('held') === 1);
    const startedAt = performance.now();
    const end = server.stop();
    const { status, body } = await held;
    expect([status, body.result.data]).toEqual([200, 'held']);
    expect(await end).toEqual({ code: 0, signal: null });
    // Its window of 25 s is not waited for: nobody else can come any more.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('under steady traffic gives no other answer than 200 and 503', async () => {
    const server = await startServer({ models });
    const statuses = new Map<number, number>();
    const client = async () => {
      for (;;) {
        try {
          const { status } = await server.predict('slow', 1, { parameters: { sleep: 5 } });
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status !== 200) return;
        } catch {
          return;
        }
      }
    };
    const clients = Array.from({ length: 16 }, client);
    await server.untilMetrics('traffic flows', (metrics) => metrics.ended('slow', 'ok') > 100);
    const end = server.stop();
    await Promise.all(clients);
    expect(await end).toEqual({ code: 0, signal: null });
    expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });

  it('does not wait for idle connections', async () => {
    const server = await startServer({ models });
    // fetch keeps its connections open.
    expect(await server.status('/health')).toBe(200);
    const startedAt = performance.now();
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    // Sooner than what was admitted would have had to be answered.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});

describe('P5: the end of the server is bounded', () => {
  it('requests that are not answered in time get 503, a worker that hangs is not waited for', async () => {
    const server = await startServer({ models, environment: { SMARTBATCH_SHUTDOWN_TIMEOUT: '0.5' } });
    const gate = new Gate();
    const running = server.predict('slow', 'running', { parameters: { gate: gate.path } });
    await gate.entered();
    const waiting = server.predict('slow', 'waiting');
    await server.untilMetrics('one waits', (metrics) => metrics.queueSize('slow') === 1);
    const end = server.stop();
    const answers = await Promise.all([running, waiting]);
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [503, 'draining'],
      [503, 'draining'],
    ]);
    expect(existsSync(`${gate.path}.open`)).toBe(false);
    await end;
  });

  it('a second signal ends it at once', async () => {
    const server = await startServer({ models });
    const gate = new Gate();
    const running = server
      .predict('slow', 'running', { parameters: { gate: gate.path } })
      .catch(() => 'lost');
    await gate.entered();
    void server.stop('SIGINT');
    await waitUntil('it is stopping', async () => (await server.status('/health/ready')) === 503);
    expect(await server.stop('SIGINT')).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await running).toBe('lost');
  });
});
