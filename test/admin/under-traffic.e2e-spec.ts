import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';
import { admin } from './admin-client.js';

const folder = mkdtempSync(join(tmpdir(), 'smartbatch-models-'));
const gate = new Gate();
const server = await startServer({
  models: { steady: { module: fixture('recorder') } },
  environment: {
    SMARTBATCH_MODEL_PATHS: `${folder}:${dirname(fixture('x'))}`,
    TEST_GATE: gate.path,
  },
});
afterAll(() => stopAndCheck(server));

/** Writes the code of the model `revised`, always to the same file. */
function writeRevision(revision: number): { module: string; version: string } {
  writeFileSync(join(folder, 'revised.mjs'), `export default (batch) => batch.map(() => ${revision});`);
  return { module: './revised.mjs', version: '1' };
}

/** 200 requests a second at a model, whatever becomes of them, until it is stopped. */
function traffic(model: string) {
  const answers: Promise<{ readonly status: number; readonly result: unknown }>[] = [];
  const timer = setInterval(() => {
    const answer = server.predict(model, answers.length);
    answers.push(answer.then(({ status, body }) => ({ status, result: body.result })));
  }, 5);
  return {
    answers,
    stop: async () => {
      clearInterval(timer);
      return Promise.all(answers);
    },
  };
}

describe('under steady traffic', () => {
  it('P7 registering, replacing twenty times and removing fails no request, and each replacement runs its own code', async () => {
    const other = traffic('steady');
    expect((await admin.register(server, 'revised', writeRevision(0))).status).toBe(201);
    const own = traffic('revised');
    for (let revision = 1; revision <= 20; revision++) {
      const { status } = await admin.register(server, 'revised', writeRevision(revision), '?replace=true');
      expect(status).toBe(201);
      // What comes after the answer is run by the new code.
      expect((await server.predict('revised', 0)).body.result).toBe(revision);
    }
    const answered = await own.stop();
    expect(answered.length).toBeGreaterThan(20);
    expect(answered.filter(({ status }) => status !== 200)).toEqual([]);
    const revisions = answered.map(({ result }) => Number(result));
    expect(new Set(revisions).size).toBeGreaterThan(10);
    const removal = await admin.remove(server, 'revised', '1');
    expect(removal.body).toMatchObject({ state: 'removed', refused: 0 });
    expect((await server.predict('revised', 0)).status).toBe(404);
    // The same path again, with changed code.
    expect((await admin.register(server, 'revised', writeRevision(99))).status).toBe(201);
    expect((await server.predict('revised', 0)).body.result).toBe(99);
    await admin.remove(server, 'revised', '1');
    const others = await other.stop();
    expect(others.filter(({ status }) => status !== 200)).toEqual([]);
  }, 120_000);

  it('P7 a request whose body is still on its way while its model is replaced is answered', async () => {
    await admin.register(server, 'revised', writeRevision(1));
    const chunks = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode('{"data":'));
        await admin.register(server, 'revised', writeRevision(2), '?replace=true');
        controller.enqueue(new TextEncoder().encode('1}'));
        controller.close();
      },
    });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: chunks };
    const answer = await server.send('/models/revised/predict', { ...init, duplex: 'half' });
    expect([answer.status, answer.body.result]).toEqual([200, 2]);
    await admin.remove(server, 'revised', '1');
  });

  it('a replacement that fails keeps the old code serving', async () => {
    await admin.register(server, 'revised', writeRevision(5));
    writeFileSync(join(folder, 'revised.mjs'), 'export default "no model";');
    const settings = { module: './revised.mjs', version: '1' };
    const { status } = await admin.register(server, 'revised', settings, '?replace=true');
    expect(status).toBe(422);
    expect((await server.predict('revised', 0)).body.result).toBe(5);
    await admin.remove(server, 'revised', '1');
  });

  it('BC-091 a model that blocks while it loads holds up neither the others nor the operators', async () => {
    const loading = admin.register(server, 'blocking', { module: fixture('blocks-on-import') });
    await gate.entered();
    const { body } = await admin.list(server);
    expect(body.models.map(({ name }) => name)).toContain('blocking');
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => server.predict('steady', n)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await admin.register(server, 'revised', writeRevision(7))).status).toBe(201);
    expect((await admin.remove(server, 'revised', '1')).status).toBe(200);
    // All of this while the import has not come to its end.
    expect((await admin.model(server, 'blocking')).body.versions[0]!.state).toBe('loading');
    gate.open();
    expect((await loading).status).toBe(201);
  });

  it('BC-087 registering and removing at random ends as the last completed operation says', async () => {
    const background = traffic('steady');
    let isThere = false;
    for (let step = 0; step < 20; step++) {
      const isRemoval = (step * 7919 + 3) % 7 < 3;
      const operations = [
        isRemoval
          ? admin.remove(server, 'revised', '1')
          : admin.register(server, 'revised', writeRevision(step), '?replace=true'),
        // Beside it, one that must change nothing.
        admin.remove(server, 'revised', '2'),
      ];
      const [{ status }] = (await Promise.all(operations)) as [{ status: number }, unknown];
      const ofRemoval = isThere ? 200 : 404;
      expect(status).toBe(isRemoval ? ofRemoval : 201);
      isThere = !isRemoval;
      expect((await server.predict('revised', 0)).status).toBe(isThere ? 200 : 404);
      await sleep(1);
    }
    const answers = await background.stop();
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    if (isThere) await admin.remove(server, 'revised', '1');
    const metrics = await server.metrics();
    expect(metrics.value('smartbatch_lanes', { model: 'revised' })).toBe(0);
  });
});
