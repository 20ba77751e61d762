import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';
import { waitUntil } from '../harness/wait-until.js';
import { admin } from './admin-client.js';

const server = await startServer({
  models: { steady: { module: fixture('recorder') } },
  environment: { SMARTBATCH_MODEL_PATHS: dirname(fixture('x')) },
});
afterAll(() => stopAndCheck(server));

/** What the process holds. */
function held(): { readonly threads: number; readonly files: number } {
  const count = (what: string) => readdirSync(`/proc/${server.process.pid}/${what}`).length;
  return { threads: count('task'), files: count('fd') };
}

async function cycle(): Promise<void> {
  const settings = { module: fixture('recorder'), version: '1' };
  expect((await admin.register(server, 'passing', settings)).status).toBe(201);
  const answers = await Promise.all(
    Array.from({ length: 3 }, (_, n) => server.predict<Recorded>('passing', n)),
  );
  expect(answers.map(({ body }) => body.result.data)).toEqual([0, 1, 2]);
  expect((await admin.register(server, 'passing', settings, '?replace=true')).status).toBe(201);
  expect((await admin.register(server, 'failing', { module: fixture('throws-on-import') })).status).toBe(422);
  expect((await admin.remove(server, 'passing', '1')).status).toBe(200);
}

describe('models that come and go', () => {
  it('P5 BC-092 leave no thread, no open file and no series behind', async () => {
    // The first time what is needed once is made.
    await cycle();
    const before = held();
    for (let n = 0; n < 10; n++) await cycle();
    await waitUntil('the threads have ended', () => held().threads <= before.threads);
    await waitUntil('the files are closed', () => held().files <= before.files);
    await server.metrics();
    const { text } = await server.metrics();
    expect(text).not.toContain('model="passing"');
    expect(text).not.toContain('model="failing"');
    expect((await admin.list(server)).body.models.map(({ name }) => name)).toEqual(['steady']);
    expect((await server.predict('steady', 1)).status).toBe(200);
  });
});
