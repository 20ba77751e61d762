import { afterAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const WAYS = ['exit', 'exit in peace', 'error in a timer', 'forgotten rejection'];
const module = fixture('mortal');
const single = { module, max_batch_size: 1, workers: 1 };
const server = await startServer({
  models: {
    // One model a way to die, since replacing a worker that dies again and again takes ever longer.
    ...Object.fromEntries(WAYS.map((_, index) => [`mortal-${index}`, single])),
    idle: single,
    gated: single,
    shared: { module, max_batch_size: 4, window: 'fixed', max_wait_time: 20 },
    pair: { module, max_batch_size: 1, workers: 2 },
    bystander: { module: fixture('recorder') },
  },
});
afterAll(() => stopAndCheck(server));

describe('P3, BC-104: a worker that dies', () => {
  it.each(WAYS.map((way, index) => [way, `mortal-${index}`]))(
    'by "%s" costs the batch that it ran, and is replaced',
    async (way, model) => {
      const { status, headers, body } = await server.predict(model, way);
      expect([status, body.code]).toEqual([503, 'no_worker']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      await server.untilReady();
      const next = await server.predict(model, 'well');
      expect([next.status, next.body.result]).toEqual([200, 'well']);
    },
  );

  it('costs every client of its batch, and nobody else', async () => {
    const answers = await Promise.all([
      ...[1, 2, 3, 4].map(() => server.predict('shared', 'exit')),
      ...[1, 2, 3, 4].map((data) => server.predict<Recorded>('bystander', data)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 200, 200, 200, 200]);
    await server.untilReady();
  });

  it('while idle is replaced, too', async () => {
    expect((await server.predict('idle', 'error after the answer')).status).toBe(200);
    await server.untilMetrics(
      'its lane is gone',
      (metrics) => metrics.value('smartbatch_lanes', { model: 'idle' }) === 0,
    );
    await server.untilReady();
    expect((await server.predict('idle', 'well')).status).toBe(200);
  });

  it('BC-041, BC-112: takes readiness down meanwhile; the queue waits, newcomers get 503', async () => {
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

  it('is named in the log', () => {
    const lines = server.process.stdoutLines.filter((line) => line.includes('died'));
    expect(lines.length).toBeGreaterThanOrEqual(WAYS.length);
    expect(lines.join('\n')).toContain('nobody catches this');
  });
});
