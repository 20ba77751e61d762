import 'reflect-metadata';
import { createLogger } from '#telemetry';
import type { InjectOptions } from 'fastify';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { processCounts, type ProcessCounts } from '../../bench/measure/process-counts.js';
import { loadSettings } from '../../src/config/load-settings.js';
import { createServer } from '../../src/create-server.js';
import { writeConfiguration } from '../harness/configuration-file.js';
import { waitUntil } from '../harness/wait-until.js';

/** Until everything that is made once has been made. */
const WARM_UP = 3;
const CYCLES = 8;
const MADE_ANEW = ['threads', 'files', 'timers', 'handles', 'listeners'] as const;

const settings = loadSettings({
  SMARTBATCH_CONFIG: writeConfiguration({}),
  SMARTBATCH_MODEL_PATHS: resolve('models/digits'),
  SMARTBATCH_DEVICES: 'cpu',
});
const app = await createServer(settings, createLogger('silent'));
await app.init();
afterAll(() => app.close());

async function send(options: InjectOptions): Promise<string> {
  const { statusCode, payload } = await app.inject({ headers: { host: '127.0.0.1' }, ...options });
  if (statusCode >= 400) throw new Error(`${JSON.stringify(options.url)}: ${payload}`);
  return payload;
}

async function runCycle(): Promise<void> {
  await send({ method: 'POST', url: '/admin/models/cycle', payload: { onnx: 'digits.onnx', version: '1' } });
  const payload = JSON.parse(readFileSync('models/digits/samples/seven.json', 'utf8')) as object;
  const predictions = Array.from({ length: 10 }, () =>
    send({ method: 'POST', url: '/models/cycle/predict', payload }),
  );
  await Promise.all(predictions);
  await send({ method: 'DELETE', url: '/admin/models/cycle/1' });
}

describe('BC-092: models that come and go', () => {
  it('leave nothing behind: no thread, handle, timer, listener or metric', async () => {
    for (let cycle = 0; cycle < WARM_UP; cycle++) await runCycle();
    const before = processCounts();
    const metrics = (await send({ url: '/metrics' })).split('\n').length;
    for (let cycle = 0; cycle < CYCLES; cycle++) await runCycle();
    let after: ProcessCounts = before;
    await waitUntil('everything is as it was', () => {
      after = processCounts();
      return MADE_ANEW.every((name) => after[name] <= before[name]);
    });
    expect((await send({ url: '/metrics' })).split('\n')).toHaveLength(metrics);
    expect(after.heapMiB - before.heapMiB).toBeLessThan(10);
  });
});
