import { FaultFolder } from '#testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { expectConservation, stopAndCheck } from '../harness/stop-and-check.js';

const BATCH = 4;
const CLIENTS = 10;
const OTHERS = 200;
const root = mkdtempSync(join(tmpdir(), 'smartbatch-stalled-'));
const folders = {
  threads: new FaultFolder(join(root, 'threads')),
  processes: new FaultFolder(join(root, 'processes')),
};
const settings = { module: fixture('faulty'), workers: 2, max_batch_size: BATCH, run_timeout: 1.5 };
const server = await startServer({
  models: {
    threads: { ...settings, function: 'threads' },
    processes: { ...settings, function: 'processes', isolation: 'process' },
  },
  environment: {
    TEST_FAULTS_OF_THREADS: folders.threads.path,
    TEST_FAULTS_OF_PROCESSES: folders.processes.path,
  },
});
afterAll(() => stopAndCheck(server));

describe.each(['threads', 'processes'] as const)('P1, P3: of two %s, one stalls for good', (model) => {
  it('loses the batch that it held, and nothing else, and is back afterwards', async () => {
    folders[model].order({ kind: 'stall' });
    // One request of four items is one batch of four.
    const stalled = server.send(`/models/${model}/predict`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ inputs: Array.from({ length: BATCH }, (_, n) => `stalled ${n}`) }),
    });
    await expect.poll(() => folders[model].open).toBe(0);
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = client; n < OTHERS; n += CLIENTS) {
        const { status, body } = await server.predict(model, n);
        expect([status, body.result]).toEqual([200, n]);
      }
    });
    await Promise.all(clients);
    expectConservation(await server.metrics());

    const { status, body } = await stalled;
    expect([status, body.code]).toEqual([504, 'run_timeout']);
    await server.untilMetrics(
      'both lanes are back, and nothing hangs',
      (metrics) =>
        metrics.value('smartbatch_lanes', { model }) === 2 &&
        metrics.value('smartbatch_workers_hung', { model }) === 0,
    );
    const after = await server.metrics();
    expect(after.value('smartbatch_batches_failed_total', { model, code: 'run_timeout' })).toBe(1);
    expect(after.value('smartbatch_worker_restarts_total', { model, reason: 'hung' })).toBe(1);
    expect([after.ended(model, 'ok'), after.value('smartbatch_requests_total', { model })]).toEqual([
      OTHERS,
      OTHERS + 1,
    ]);
    expectConservation(after);
  });
});
