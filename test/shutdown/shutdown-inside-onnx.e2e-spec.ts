import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wideMlp } from '../../bench/graphs/wide-mlp.js';
import { fixture } from '../harness/configuration-file.js';
import { startServer, type ServerOptions } from '../harness/start-server.js';
import { waitUntil } from '../harness/wait-until.js';

/*
 * onnxruntime-node aborts the whole process (exit code 134) when a thread that is inside it is ended by force,
 * and also when the process exits around it.
 */
const ROUNDS = 20;
const folder = mkdtempSync(join(tmpdir(), 'smartbatch-e2e-'));
const file = join(folder, 'wide-mlp.onnx');
writeFileSync(file, wideMlp());

function options(workers: number): ServerOptions {
  return {
    models: { loop: { module: fixture('onnx-loop/onnx-loop.module'), workers } },
    environment: { TEST_ONNX_FILE: file },
  };
}

describe('SIGTERM', () => {
  it(
    `ends the server with exit code 0, ${ROUNDS} times of ${ROUNDS}, while its workers are inside ONNX`,
    { timeout: 240_000 },
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const workers = round % 4 === 0 ? 2 : 1;
        const server = await startServer(options(workers));
        const marks = Array.from({ length: workers }, (_, worker) => join(folder, `${round}-${worker}`));
        const runs = marks.map((started, data) =>
          server.predict<{ runs: number }>('loop', data, { parameters: { milliseconds: 150, started } }),
        );
        await waitUntil('every worker is at it', () => marks.every((mark) => existsSync(mark)));
        expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null });
        for (const { status, body } of await Promise.all(runs)) {
          expect(status).toBe(200);
          expect(body.result.runs).toBeGreaterThan(1);
        }
      }
    },
  );

  it('ends the server with exit code 0 also while it loads a model', { timeout: 120_000 }, async () => {
    for (let round = 0; round < 3; round++) {
      const started = join(folder, `loading-${round}`);
      const server = await startServer({
        models: { opening: { module: fixture('onnx-loop/onnx-opening.module') } },
        environment: { TEST_ONNX_FILE: file, TEST_STARTED: started },
        until: 'listening',
      });
      await waitUntil('a worker is at it', () => existsSync(started));
      expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    }
  });
});
