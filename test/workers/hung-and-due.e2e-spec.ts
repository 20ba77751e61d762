import { FaultFolder } from '#testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const root = mkdtempSync(join(tmpdir(), 'smartbatch-hung-'));
const folders = {
  threads: new FaultFolder(join(root, 'threads')),
  processes: new FaultFolder(join(root, 'processes')),
};
const hanging = { module: fixture('faulty'), workers: 2, max_batch_size: 1, run_timeout: 1 };
const due = { module: fixture('recorder'), recycle: { max_batches: 3 } };
const server = await startServer({
  models: {
    threads: { ...hanging, function: 'threads' },
    processes: { ...hanging, function: 'processes', isolation: 'process' },
    'due-thread': due,
    'due-process': { ...due, isolation: 'process' },
  },
  environment: {
    TEST_FAULTS_OF_THREADS: folders.threads.path,
    TEST_FAULTS_OF_PROCESSES: folders.processes.path,
  },
});
afterAll(() => stopAndCheck(server));

describe.each(['threads', 'processes'] as const)('P3: of two %s, one hangs', (model) => {
  it.each(['hang', 'stall'] as const)(
    '("%s"): its client hears of it, and everybody else is served',
    async (kind) => {
      folders[model].order({ kind, milliseconds: 5000 });
      const hung = server.predict(model, 'hung');
      await expect.poll(() => folders[model].open).toBe(0);
      for (let number = 0; number < 20; number++) {
        const { status, body } = await server.predict(model, number);
        expect([status, body.result]).toEqual([200, number]);
      }
      const { status, body } = await hung;
      expect([status, body.code]).toEqual([504, 'run_timeout']);
      await server.untilMetrics(
        'both lanes are back, and nothing hangs',
        (metrics) =>
          metrics.value('smartbatch_lanes', { model }) === 2 &&
          metrics.value('smartbatch_workers_hung', { model }) === 0,
      );
      const restarts = (await server.metrics()).value('smartbatch_worker_restarts_total', {
        model,
        reason: 'hung',
      });
      expect(restarts).toBeGreaterThanOrEqual(1);
    },
  );
});

describe.each(['due-thread', 'due-process'])('BC-110 a worker that is due (%s)', (model) => {
  it('is replaced while every request is answered', async () => {
    let replaced = 0;
    for (let number = 0; replaced === 0 && number < 5000; number++) {
      const { status } = await server.predict(model, number);
      expect(status).toBe(200);
      replaced = (await server.metrics()).value('smartbatch_worker_restarts_total', {
        model,
        reason: 'recycled',
      });
    }
    expect(replaced).toBeGreaterThan(0);
  });
});
