import { afterAll, describe, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const STATES = { closed: 0, 'half-open': 1, open: 2 };
const settings = {
  module: fixture('misbehaving'),
  function: 'breakContract',
  max_batch_size: 1,
  breaker: { threshold: 2, recovery_time: 2 },
};
const server = await startServer({
  models: {
    failing: { ...settings, breaker: { threshold: 2, recovery_time: 600 } },
    probed: settings,
    'two-workers': { ...settings, workers: 2, breaker: { threshold: 1, recovery_time: 2 } },
    healthy: { ...settings, breaker: { threshold: 1000 } },
  },
});
afterAll(() => stopAndCheck(server));

const fail = (model: string) => server.predict(model, 'throw');
const succeed = (model: string) => server.predict(model, 'good');

function untilBreaker(model: string, state: keyof typeof STATES): Promise<void> {
  return server.untilMetrics(
    `the breaker of ${model} is ${state}`,
    (metrics) => metrics.value('smartbatch_breaker_state', { model }) === STATES[state],
  );
}

async function openBreaker(model: string, failures: number): Promise<void> {
  for (let count = 0; count < failures; count++) expect((await fail(model)).status).toBe(500);
}

describe('a model that keeps failing', () => {
  it('is left alone: 503 with Retry-After before the body is parsed, seen in health and metrics', async () => {
    await openBreaker('failing', 2);
    await untilBreaker('failing', 'open');
    const refused = await server.send('/models/failing/predict', {
      method: 'POST',
      body: 'this is not JSON',
    });
    expect([refused.status, refused.body.code]).toEqual([503, 'breaker_open']);
    expect(refused.headers.get('retry-after')).toMatch(/^(600|5\d\d)$/);
    expect((await succeed('healthy')).status).toBe(200);
    const health = await fetch(`${server.url}/health/ready`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({ info: { 'model:failing': { breaker: 'open' } } });
  });

  it('BC-080: gets one probe, behind which nobody waits, and is served again when it succeeds', async () => {
    await openBreaker('probed', 2);
    await untilBreaker('probed', 'half-open');
    const gate = new Gate();
    const probe = server.predict('probed', 'good', { parameters: { gate: gate.path } });
    await gate.entered();
    const refused = await Promise.all([succeed('probed'), succeed('probed')]);
    for (const { status, body } of refused) expect([status, body.code]).toEqual([503, 'breaker_open']);
    gate.open();
    expect((await probe).status).toBe(200);
    await untilBreaker('probed', 'closed');
    expect((await succeed('probed')).status).toBe(200);
  });

  it('BC-079: is not held up by probes that say nothing about it', async () => {
    await openBreaker('probed', 2);
    await untilBreaker('probed', 'half-open');
    const unreadable = await server.send('/models/probed/predict', { method: 'POST', body: '?' });
    expect(unreadable.status).toBe(415);
    expect((await server.predict('probed', 'throw for clients')).status).toBe(422);
    const client = new AbortController();
    const gate = new Gate();
    const parameters = { gate: gate.path };
    const left = server.predict('probed', 'throw', { parameters, signal: client.signal }).catch(() => 'left');
    await gate.entered();
    client.abort();
    expect(await left).toBe('left');
    await server.untilMetrics('it has left', (metrics) => metrics.inFlight('probed') === 0);
    gate.open();
    await untilBreaker('probed', 'half-open');
    await server.untilMetrics(
      'its batch has failed',
      (metrics) => metrics.value('smartbatch_batches_failed_total', { model: 'probed' }) >= 6,
    );
    expect((await succeed('probed')).status).toBe(200);
    await untilBreaker('probed', 'closed');
  });

  it('BC-082: is served after a good probe, also when a failure from before comes late', async () => {
    const gate = new Gate();
    const late = server.predict('two-workers', 'throw', { parameters: { gate: gate.path } });
    await gate.entered();
    await openBreaker('two-workers', 1);
    await untilBreaker('two-workers', 'half-open');
    expect((await succeed('two-workers')).status).toBe(200);
    gate.open();
    expect((await late).status).toBe(500);
    expect((await succeed('two-workers')).status).toBe(200);
    await untilBreaker('two-workers', 'closed');
  });
});
