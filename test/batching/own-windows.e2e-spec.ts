import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { admin } from '../admin/admin-client.js';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture, writeConfigurationText } from '../harness/configuration-file.js';
import { ServerProcess } from '../harness/server-process.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const module = fixture('recorder');
const windowModule = fixture('pair-window');
const LONG = { max_wait_time: 20, max_batch_size: 8 };

function configuration(windows: unknown, models: unknown = {}): string {
  return writeConfigurationText(stringify({ windows, models }));
}

const server = await startServer({
  models: {},
  environment: {
    SMARTBATCH_CONFIG: configuration(
      { pair: { module: windowModule }, broken: { module: windowModule, function: 'brokenWindow' } },
      {
        'by-file': { module, window: 'pair', ...LONG },
        'by-code': { module: fixture('paired') },
        failing: { module, window: 'broken', ...LONG },
      },
    ),
    SMARTBATCH_MODEL_PATHS: fixture('').replace(/\/[^/]*$/, ''),
  },
});
afterAll(() => stopAndCheck(server));

/** Two clients, of which the second comes when the first has waited: they end together, long before the longest wait. */
async function expectPair(model: string): Promise<void> {
  const first = server.predict<Recorded>(model, 1);
  await server.untilMetrics('the first waits', (metrics) => metrics.queueSize(model) === 1);
  const answers = await Promise.all([first, server.predict<Recorded>(model, 2)]);
  expect(answers.map(({ body }) => body.result.size)).toEqual([2, 2]);
}

describe('a window policy that the configuration names', () => {
  it.each(['by-file', 'by-code'])('can be chosen for a model %s', expectPair);

  it('can be chosen over the admin API, at registration and for a model that serves', async () => {
    const source = { module, function: 'recorder', version: '1' };
    const { status } = await admin.register(server, 'late', { ...source, window: 'pair', ...LONG });
    expect(status).toBe(201);
    await expectPair('late');
    await admin.update(server, 'late', '1', { window: 'eager' });
    expect((await server.predict<Recorded>('late', 1)).body.result.size).toBe(1);
    const { body } = await admin.update(server, 'late', '1', { window: 'pair' });
    expect(body.options).toMatchObject({ window: 'pair' });
    await expectPair('late');
  });

  it('is named where a request asks for one that is not there', async () => {
    const { status, body } = await admin.register(server, 'none', { module, window: 'sesame' });
    expect([status, body.detail]).toEqual([
      422,
      "window: unknown window 'sesame': known are auto, eager, fixed, pair, broken",
    ]);
  });

  it('P8: that throws costs no request anything, and is logged', async () => {
    const answers = await Promise.all([1, 2, 3].map((n) => server.predict<Recorded>('failing', n)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(JSON.stringify(server.logged('the window policy failed; batches start without it'))).toContain(
      'a bug of the team',
    );
  });
});

describe('a window policy that cannot be had ends the start with one line', () => {
  it.each([
    [{ mine: { module: './none.js' } }, 'windows.mine cannot be loaded'],
    [{ mine: { module: windowModule, function: 'nope' } }, "export 'nope' is no class and no function"],
    [{ mine: { module: windowModule, function: 'noWindow' } }, "export 'noWindow' makes no window policy"],
    [{ mine: { function: 'x' } }, 'windows.mine.module must be a path'],
    [{ mine: { module: 'x', max: 1 } }, 'windows.mine.max is not known'],
    [['mine'], 'windows must map names'],
  ])('%j', async (windows, said) => {
    const process = new ServerProcess({ PORT: '0', SMARTBATCH_CONFIG: configuration(windows) });
    expect(await process.ended).toEqual({ code: 1, signal: null });
    expect(process.stderrLines).toHaveLength(1);
    expect(process.stderrLines[0]).toContain(said);
  });
});
