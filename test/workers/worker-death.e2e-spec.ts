import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import type { RunningServer } from '../harness/running-server.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const module = fixture('mortal');

/** What the model's first item may say to end its worker, and what the log then says. */
const WAYS: Readonly<Record<string, string>> = {
  exit: 'exit code 3',
  'exit in peace': 'exit code 0',
  'error in a timer': 'nobody catches this',
  'forgotten rejection': 'nobody catches this',
  'too much memory': 'memory',
};
const OF_PROCESSES: Readonly<Record<string, string>> = { kill: 'SIGKILL', abort: 'SIGABRT' };

describe.each(['thread', 'process'])('P3, BC-104: a worker %s that dies', (isolation) => {
  const ways = Object.keys(isolation === 'thread' ? WAYS : { ...WAYS, ...OF_PROCESSES });
  const single = { module, max_batch_size: 1, workers: 1, isolation };
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer({
      models: {
        single,
        gated: single,
        shared: { module, isolation, max_batch_size: 4, window: 'fixed', max_wait_time: 20 },
        once: { module, isolation, max_batch_size: 2, window: 'fixed', max_wait_time: 20, idempotent: false },
        pair: { module, isolation, max_batch_size: 1, workers: 2 },
        bystander: { module: fixture('recorder') },
      },
      // A heap that is full soon.
      environment: { NODE_OPTIONS: '--max-old-space-size=160' },
    });
  });
  afterAll(() => stopAndCheck(server));

  it.each(ways)('by "%s" costs the batch that it ran, and is replaced', async (way) => {
    const { status, headers, body } = await server.predict('single', way);
    expect([status, body.code]).toEqual([503, 'worker_died']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await server.untilReady();
    const next = await server.predict('single', 'well');
    expect([next.status, next.body.result]).toEqual([200, 'well']);
  });

  it('BC-043 costs only the client whose item kills twice, and nobody of another model', async () => {
    const answers = await Promise.all([
      ...['well', 'exit', 'well', 'well'].map((data) => server.predict('shared', data)),
      ...[1, 2, 3, 4].map((data) => server.predict<Recorded>('bystander', data)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 503, 200, 200, 200, 200, 200, 200]);
    await server.untilReady();
  });

  it('costs every client of its batch where no item may run twice', async () => {
    const answers = await Promise.all(['exit', 'well'].map((data) => server.predict('once', data)));
    expect(answers.map(({ body }) => body.code)).toEqual(['worker_died', 'worker_died']);
    await server.untilReady();
  });

  it('while idle is replaced, too', async () => {
    expect((await server.predict('single', 'error after the answer')).status).toBe(200);
    await server.untilMetrics(
      'its lane is gone',
      (metrics) => metrics.value('smartbatch_lanes', { model: 'single' }) === 0,
    );
    await server.untilReady();
    expect((await server.predict('single', 'well')).status).toBe(200);
  });

  it('BC-041, BC-112, BC-113: takes readiness down meanwhile; the queue waits, newcomers get 503', async () => {
    const gate = new Gate();
    const dying = server.predict('gated', 'exit', { parameters: { gate: gate.path } });
    await gate.entered();
    const waiting = [1, 2, 3].map((data) => server.predict('gated', data));
    await server.untilMetrics('three wait', (metrics) => metrics.queueSize('gated') === 3);
    expect(await server.status('/health/ready')).toBe(200);
    gate.open();
    expect((await dying).status).toBe(503);
    const [ready, health, newcomer, other] = await Promise.all([
      server.status('/health/ready'),
      server.send('/health'),
      server.predict('gated', 'new'),
      server.predict('bystander', 1),
    ]);
    expect([ready, health.status, newcomer.status, other.status]).toEqual([503, 503, 503, 200]);
    expect(newcomer.body.code).toBe('no_worker');
    expect(JSON.stringify(health.body)).toContain('model:gated');
    expect((await Promise.all(waiting)).map(({ status, body }) => [status, body.result])).toEqual([
      [200, 1],
      [200, 2],
      [200, 3],
    ]);
    await server.untilReady();
  });

  it('leaves the work to the others meanwhile', async () => {
    expect((await server.predict('pair', 'exit')).status).toBe(503);
    expect(await server.status('/health/ready')).toBe(200);
    expect((await server.predict('pair', 'well')).status).toBe(200);
    await server.untilMetrics(
      'both are back',
      (metrics) => metrics.value('smartbatch_lanes', { model: 'pair' }) === 2,
    );
  });

  it('is named in the log, with what ended it', () => {
    const lines = server.process.stdoutLines.filter((line) => line.includes('died')).join('\n');
    const reasons =
      isolation === 'thread' ? Object.values(WAYS) : ['exit code 3', ...Object.values(OF_PROCESSES)];
    for (const reason of reasons) expect(lines).toContain(reason);
  });
});
