import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { fixture, writeConfigurationText } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const configuration = {
  models: { m: { module: fixture('recorder'), max_batch_size: 1 } },
  api_keys: [
    { name: 'narrow', key: 'narrow-key', max_in_flight: 1 },
    // One in an hour: what comes within the test is what comes at once.
    { name: 'slow', key: 'slow-key', max_rate: 1 / 3600, burst: 2 },
    { name: 'free', key: 'free-key' },
  ],
};
const server = await startServer({
  models: {},
  environment: { SMARTBATCH_CONFIG: writeConfigurationText(stringify(configuration)) },
});
afterAll(() => stopAndCheck(server));

const predict = (client: string, parameters: object = {}, signal?: AbortSignal) =>
  server.predict('m', 'x', {
    headers: { 'x-api-key': `${client}-key` },
    parameters: { ...parameters },
    ...(signal === undefined ? {} : { signal }),
  });

describe('the limits of an API key', () => {
  it('bound its requests in flight, and those of nobody else', async () => {
    const gate = new Gate();
    const running = predict('narrow', { gate: gate.path });
    await gate.entered();
    const refused = await server.send('/models/m/predict', {
      method: 'POST',
      headers: { authorization: 'Bearer narrow-key' },
      body: 'this is not JSON',
    });
    expect([refused.status, refused.body.code]).toEqual([429, 'concurrency_limited']);
    expect(refused.headers.get('retry-after')).toBe('1');
    const free = predict('free');
    gate.open();
    expect((await running).status).toBe(200);
    expect((await free).status).toBe(200);
    expect((await predict('narrow')).status).toBe(200);
  });

  it('give back the place of a client that leaves', async () => {
    const gate = new Gate();
    const client = new AbortController();
    const left = predict('narrow', { gate: gate.path }, client.signal).catch(() => 'left');
    await gate.entered();
    client.abort();
    expect(await left).toBe('left');
    await server.untilMetrics('it has left', (metrics) => metrics.inFlight('m') === 0);
    gate.open();
    expect((await predict('narrow')).status).toBe(200);
  });

  it('bound its rate, with Retry-After, and are seen in the metrics', async () => {
    expect([(await predict('slow')).status, (await predict('slow')).status]).toEqual([200, 200]);
    const { status, body, headers } = await predict('slow');
    expect([status, body.code]).toEqual([429, 'rate_limited']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3000);
    const metrics = await server.metrics();
    const refusals = (code: string) =>
      metrics.value('smartbatch_requests_refused_total', { model: 'm', code });
    expect([refusals('rate_limited'), refusals('concurrency_limited')]).toEqual([1, 1]);
  });
});
