import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

interface Greeting {
  readonly text: string;
  readonly device: string;
  readonly workerId: number;
  readonly info: { readonly name: string; readonly version: string; readonly intraOpThreads: number };
}

const marker = join(mkdtempSync(join(tmpdir(), 'smartbatch-e2e-')), 'marker');
const workshop = fixture('workshop/workshop.module');
const server = await startServer({
  models: {
    plain: { module: fixture('recorder') },
    named: { module: fixture('recorder'), function: 'recorder', version: 2 },
    greeter: { module: workshop, handler: 'greet', workers: 2 },
    loud: { module: workshop, handler: 'shout', version: 'beta' },
  },
  environment: { TEST_GREETING: 'Good morning', TEST_MARKER: marker },
});
afterAll(async () => {
  await stopAndCheck(server);
  expectHooksRan();
});

/** The hook onApplicationShutdown ran in every worker, after its last batch. */
function expectHooksRan(): void {
  const lines = readFileSync(marker, 'utf8').trim().split('\n').toSorted();
  expect(lines).toEqual(['greeter 0 ran 1', 'greeter 1 ran 1', 'loud 0 ran 1']);
}

describe('a plain exported function', () => {
  it.each([
    ['plain', '1'],
    ['named', '2'],
  ])('is a model (%s)', async (name, version) => {
    const { status, body } = await server.predict<Recorded>(name, { any: ['value'] });
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ data: { any: ['value'] }, model: name, version });
  });
});

describe('a Nest module', () => {
  it('has its imports, its settings, its life-cycle hooks and its place, in each worker', async () => {
    const gate = new Gate();
    const parameters = { gate: gate.path };
    const calls = ['Ada', 'Bob'].map((name) => server.predict<Greeting>('greeter', name, { parameters }));
    await server.untilMetrics(
      'both workers run',
      (metrics) => metrics.inFlight('greeter') === 2 && metrics.queueSize('greeter') === 0,
    );
    gate.open();
    const results = (await Promise.all(calls)).map(({ body }) => body.result);
    expect(results.map(({ text }) => text)).toEqual(['Good morning Ada', 'Good morning Bob']);
    expect(new Set(results.map(({ workerId }) => workerId))).toEqual(new Set([0, 1]));
    for (const { device, info } of results) {
      expect(device).toBe('cpu');
      expect(info).toEqual({ name: 'greeter', version: '2.1', intraOpThreads: expect.any(Number) as number });
      expect(info.intraOpThreads).toBeGreaterThanOrEqual(1);
    }
  });

  it('may hold several handlers, of which `handler` chooses one', async () => {
    const { body } = await server.predict('loud', 'hush', { version: 'beta' });
    expect(body.result).toBe('HUSH');
  });

  it("writes to the server's log", async () => {
    await server.untilMetrics('it has run', (metrics) => metrics.batches('greeter').count === 2);
    expect(server.logged('greeting 1')).toContainEqual(
      expect.objectContaining({ model: 'greeter', context: 'workshop', level: 40 }),
    );
  });
});
