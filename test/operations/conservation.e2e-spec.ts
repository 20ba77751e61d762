import { afterAll, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { expectConservation, stopAndCheck } from '../harness/stop-and-check.js';

const REQUESTS = 1500;
const CLIENTS = 40;
const server = await startServer({
  models: {
    steady: { module: fixture('recorder'), max_batch_size: 4, max_queue_size: 10, workers: 2 },
    odd: { module: fixture('misbehaving'), function: 'oddResults' },
    broken: { module: fixture('misbehaving'), function: 'breakContract' },
    mortal: { module: fixture('mortal'), max_batch_size: 2 },
  },
});
afterAll(() => stopAndCheck(server));

/** Everything that can become of a request, one after the other. */
const REQUESTS_OF_ALL_KINDS: readonly ((id: number) => Promise<unknown>)[] = [
  (id) => server.predict('steady', id, { parameters: { sleep: id % 7 } }),
  (id) =>
    server.predict('steady', id, { parameters: { sleep: 20 }, headers: { 'x-request-timeout': '0.01' } }),
  (id) => server.predict('steady', id, { parameters: { sleep: 10 }, signal: AbortSignal.timeout(id % 12) }),
  (id) => server.predict('steady', id, { signal: AbortSignal.timeout(1) }),
  () => server.predict('odd', 'error'),
  () => server.predict('odd', 'function'),
  () => server.predict('odd', 'not a number'),
  (id) => server.predict('broken', id % 2 === 0 ? 'one too many' : 'throw'),
  (id) => server.predict('mortal', id === 500 ? 'exit' : 'well'),
  () => server.predict('nowhere', 1),
  () => server.send('/models/steady/predict', { method: 'POST', body: '{' }),
  () => server.send('/models/steady/predict', { method: 'POST', body: '{}' }),
];

it('P1: at all times received = ended + in flight, whatever becomes of the requests', async () => {
  const progress = { next: 0, ended: 0 };
  const client = async () => {
    for (let id = progress.next++; id < REQUESTS; id = progress.next++) {
      await REQUESTS_OF_ALL_KINDS[id % REQUESTS_OF_ALL_KINDS.length]!(id).catch(() => undefined);
      progress.ended++;
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  let looks = 0;
  while (progress.ended < REQUESTS) {
    expectConservation(await server.metrics());
    looks++;
  }
  await clients;
  expect(looks).toBeGreaterThan(5);
  const metrics = await server.metrics();
  const outcomes = metrics.labelsOf('smartbatch_requests_total').map(({ outcome }) => outcome);
  for (const outcome of new Set(outcomes)) {
    expect(metrics.value('smartbatch_requests_total', { outcome: outcome! })).toBeGreaterThan(0);
  }
});
