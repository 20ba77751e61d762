import { afterAll, describe, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';
import { waitUntil } from '../harness/wait-until.js';

interface HealthReport {
  readonly status: string;
  readonly info: Readonly<Record<string, { readonly status: string; readonly state?: string }>>;
  readonly error: Readonly<
    Record<string, { readonly status: string; readonly state?: string; readonly reason?: string }>
  >;
}

const gate = new Gate();
const server = await startServer({
  models: {
    quick: { module: fixture('recorder') },
    slow: { module: fixture('hanging.module') },
    broken: { module: fixture('throws-on-import') },
    absent: { module: fixture('no-such-file') },
    confused: { module: fixture('workshop/workshop.module') },
    stuck: { module: fixture('hanging.module'), load_timeout: 0.5 },
  },
  environment: { TEST_GATE: gate.path },
  until: 'listening',
});
afterAll(() => stopAndCheck(server));

async function health(path = '/health'): Promise<{ readonly status: number; readonly body: HealthReport }> {
  const response = await fetch(server.url + path);
  return { status: response.status, body: (await response.json()) as HealthReport };
}

describe('BC-112: while models are loading', () => {
  it('/health/live is 200, /health/ready and /health are 503 and say which', async () => {
    await gate.entered();
    expect(await server.status('/health/live')).toBe(200);
    for (const path of ['/health/ready', '/health']) {
      const { status, body } = await health(path);
      expect(status).toBe(503);
      expect(body.error['model:slow']).toMatchObject({ status: 'down', state: 'loading' });
    }
  });

  it('requests for one that loads get 503, for one that is ready 200', async () => {
    const { status, headers, body } = await server.predict('slow', 1);
    expect([status, body.code]).toEqual([503, 'model_not_ready']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await server.predict('quick', 1)).status).toBe(200);
  });
});

describe('a model that fails to load', () => {
  it.each([
    ['broken', 'the weights are missing'],
    ['absent', 'no-such-file'],
    ['confused', 'greet, shout'],
    ['stuck', 'longer than 0.5 s'],
  ])('keeps the server from being ready and says why (%s)', async (name, reason) => {
    const reportOf = async () => (await health()).body.error[`model:${name}`];
    await waitUntil(`${name} has failed`, async () => (await reportOf())?.state === 'failed');
    expect((await reportOf())?.reason).toContain(reason);
    const { status, body } = await server.predict(name, 1);
    expect([status, body.code]).toEqual([503, 'model_not_ready']);
  });

  it('does not keep the others from serving', async () => {
    gate.open();
    await server.untilMetrics(
      'the slow one is there',
      (metrics) => metrics.value('smartbatch_lanes', { model: 'slow' }) === 1,
    );
    expect((await server.predict('slow', 1)).body.result).toBe(1);
    const { status, body } = await health('/health/ready');
    expect(status).toBe(503);
    expect(body.info['model:slow']).toMatchObject({ status: 'up', state: 'ready' });
  });
});

it('/metrics is Prometheus text', async () => {
  const response = await fetch(`${server.url}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const metrics = await server.metrics();
  for (const name of ['received_total', 'total', 'in_flight']) {
    expect(metrics.has(`smartbatch_requests_${name}`, { model: 'quick', version: '1' })).toBe(true);
  }
  for (const name of ['batch_size', 'queue_wait_seconds', 'batch_run_seconds']) {
    expect(metrics.value(`smartbatch_${name}_count`, { model: 'quick' })).toBe(1);
    expect(metrics.text).toContain(`# TYPE smartbatch_${name} histogram`);
  }
});
