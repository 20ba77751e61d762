import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin } from '../admin/admin-client.js';
import { fixture } from '../harness/configuration-file.js';
import type { RunningServer } from '../harness/running-server.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const THRESHOLD = 3;
interface Health {
  readonly info: Readonly<Record<string, object>>;
  readonly error: Readonly<Record<string, object>>;
}

describe.each(['thread', 'process'])('BC-104, BC-049: a worker %s that dies again and again', (isolation) => {
  const doom = join(mkdtempSync(join(tmpdir(), 'smartbatch-doom-')), 'doom');
  let server: RunningServer;
  beforeAll(async () => {
    const breaker = { threshold: THRESHOLD, recovery_time: 3600 };
    server = await startServer({
      models: {
        'killed-by-batches': { module: fixture('mortal'), isolation, breaker },
        'dies-at-start': { module: fixture('dies-at-start'), isolation },
      },
      environment: { TEST_DOOM: doom },
    });
  });
  afterAll(() => stopAndCheck(server));

  const health = async (path = '/health/ready') => {
    const response = await fetch(server.url + path);
    return { status: response.status, body: (await response.json()) as Health };
  };

  it('in the batches that it runs: opens the breaker, which health shows, and is left alone', async () => {
    const model = 'killed-by-batches';
    for (let death = 0; death < THRESHOLD; death++) {
      await server.untilReady();
      expect((await server.predict(model, 'exit')).body.code).toBe('worker_died');
    }
    await server.untilReady();
    const { status, headers, body } = await server.predict(model, 'well');
    expect([status, body.code]).toEqual([503, 'breaker_open']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3000);
    expect((await health()).body.info[`model:${model}`]).toMatchObject({ breaker: 'open', lanes: 1 });
    // Nothing but its batches kills it.
    const restarts = async () =>
      (await server.metrics()).value('smartbatch_worker_restarts_total', { model, reason: 'died' });
    expect(await restarts()).toBe(THRESHOLD);
  });

  it('at its start: is started less and less often, and readiness and the admin list say why', async () => {
    const model = 'dies-at-start';
    const died = async () =>
      (await server.metrics()).value('smartbatch_worker_restarts_total', { model, reason: 'died' });
    writeFileSync(doom, '');
    await expect.poll(died, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    await expect
      .poll(async () => (await health()).body.error[`model:${model}`], { timeout: 20_000 })
      .toMatchObject({
        status: 'down',
        lanes: 0,
        reason: expect.stringMatching(/^worker 0 (died|could not be replaced)/) as string,
      });
    await expect
      .poll(async () => (await admin.version(server, model, '1')).body, { timeout: 20_000 })
      .toMatchObject({ workers_alive: 0, reason: expect.stringContaining('worker 0') as string });
    rmSync(doom);
    await server.untilReady();
    expect((await server.predict(model, 1)).body.result).toBe(1);
    expect((await admin.version(server, model, '1')).body).not.toHaveProperty('reason');
  });
});
