import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { oneOperator } from '../harness/onnx-file.js';
import { Repository } from '../harness/repository.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';
import { waitUntil } from '../harness/wait-until.js';

const NEGATION = oneOperator('Neg', [null, 2]);
const ABSOLUTE = oneOperator('Abs', [null, 2]);
const repository = new Repository();
repository.write({ 'm/1/model.onnx': NEGATION });
const server = await startServer({
  models: {},
  environment: { SMARTBATCH_MODEL_REPOSITORY: repository.path },
  args: ['--watch'],
});
afterAll(() => stopAndCheck(server));

/** What a model makes of [-1, 2], or the code of its error. */
async function answer(name: string): Promise<readonly number[] | string | undefined> {
  const { status, body } = await server.predict<{ y: { data: number[] } }>(name, { x: [-1, 2] });
  return status === 200 ? body.result.y.data : body.code;
}

function until(name: string, expected: readonly number[] | string): Promise<void> {
  return waitUntil(`${name} answers ${JSON.stringify(expected)}`, async () => {
    return JSON.stringify(await answer(name)) === JSON.stringify(expected);
  });
}

function hasFailed(reason: string): Promise<void> {
  return waitUntil(`a model has failed: ${reason}`, () =>
    server.logged('model failed to load').some(({ err }) => (err as Error).message.includes(reason)),
  );
}

describe('a repository that is watched', () => {
  it('serves a new version when it is there, and drops the one before it', async () => {
    expect(await answer('m')).toEqual([1, -2]);
    repository.write({ 'm/2/model.onnx': ABSOLUTE });
    await until('m', [1, 2]);
    await waitUntil('version 1 is gone', async () => {
      const { body } = await server.predict('m', { x: [1, 2] }, { version: '1' });
      return body.code === 'version_not_found';
    });
  });

  it('P7: replaces a file without a failed request', async () => {
    const statuses: number[] = [];
    const stopped = new AbortController();
    const traffic = (async () => {
      while (!stopped.signal.aborted) statuses.push((await server.predict('m', { x: [-1, 2] })).status);
    })();
    repository.write({ 'm/2/model.onnx': NEGATION });
    await until('m', [1, -2]);
    stopped.abort();
    await traffic;
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('goes on with what it has while a file or a configuration is damaged', async () => {
    repository.write({ 'm/2/model.onnx': 'half a model' });
    await hasFailed("'model.onnx' is no ONNX model");
    repository.write({ 'm/config.pbtxt': 'max_batch_size: [' });
    await hasFailed('config.pbtxt: line 1');
    expect(await answer('m')).toEqual([1, -2]);
    expect(await server.status('/health/ready')).toBe(200);
    repository.write({ 'm/config.pbtxt': 'max_batch_size: 4', 'm/2/model.onnx': ABSOLUTE });
    await until('m', [1, 2]);
  });

  it('takes models in and out', async () => {
    repository.move('late', { '1/model.onnx': ABSOLUTE });
    await until('late', [1, 2]);
    renameSync(join(repository.path, 'late'), join(repository.path, '.late'));
    await until('late', 'model_not_found');
    repository.write({ 'odd/1/model.onnx': 'no model' });
    await waitUntil('odd has failed', async () => (await server.status('/health/ready')) === 503);
    expect(await answer('m')).toEqual([1, 2]);
    rmSync(join(repository.path, 'odd'), { recursive: true });
    await server.untilReady();
  });
});
