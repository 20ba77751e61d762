import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneOperator } from '../harness/onnx-file.js';
import { predictMany } from '../harness/predict-many.js';
import { Repository } from '../harness/repository.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';
import { waitUntil } from '../harness/wait-until.js';

interface Classified {
  readonly top_labels: readonly { readonly label: string }[];
}

interface HealthReport {
  readonly info?: Readonly<Record<string, object>>;
  readonly error?: Readonly<Record<string, { readonly state?: string; readonly reason?: string }>>;
}

const DIGITS = `
name: "digits"
platform: "onnxruntime_onnx"
max_batch_size: 16
input [ { name: "pixels" data_type: TYPE_FP32 dims: [ 784 ] } ]
output [ { name: "probabilities" data_type: TYPE_FP32 dims: [ 10 ] label_filename: "labels.txt" } ]
instance_group [ { count: 2 kind: KIND_GPU } ]   # as written for a machine with one
dynamic_batching {
  preferred_batch_size: [ 4, 8 ]
  max_queue_delay_microseconds: 1000
}
model_warmup [ {
  name: "blank"
  batch_size: 1
  inputs { key: "pixels" value { data_type: TYPE_FP32 dims: [ 784 ] zero_data: true } }
} ]
optimization { execution_accelerators { gpu_execution_accelerator : [ { name : "tensorrt" } ] } }
`;
const NAMES = 'zero one two three four five six seven eight nine';
const samples = JSON.parse(readFileSync('models/digits/samples/digits.json', 'utf8')) as {
  readonly label: number;
  readonly pixels: readonly number[];
}[];

const repository = new Repository();
repository.write({
  'digits/config.pbtxt': DIGITS,
  'digits/labels.txt': NAMES.split(' ').join('\n'),
  'digits/1/model.onnx': 'an old version, which the policy does not serve',
  'digits/3/model.onnx': readFileSync('models/digits/digits.onnx'),
  'negation/1/model.onnx': oneOperator('Neg', [null, 2]),
  'both/config.pbtxt': 'version_policy { all {} } max_batch_size: 0',
  'both/1/model.onnx': oneOperator('Neg', [2]),
  'both/2/model.onnx': oneOperator('Abs', [2]),
  'python/config.pbtxt': 'backend: "python"',
  'python/1/model.py': '',
  'damaged/1/model.onnx': 'no model',
  'mismatch/config.pbtxt': 'max_batch_size: 8 input { name: "x" data_type: TYPE_FP32 dims: [ 3 ] }',
  'mismatch/1/model.onnx': oneOperator('Neg', [null, 2]),
});
const server = await startServer({
  models: {},
  environment: { SMARTBATCH_MODEL_REPOSITORY: repository.path },
  until: 'listening',
});
afterAll(() => stopAndCheck(server));

async function faults(): Promise<NonNullable<HealthReport['error']>> {
  const { error = {} } = (await (await fetch(`${server.url}/health`)).json()) as HealthReport;
  return error;
}

beforeAll(() =>
  waitUntil('no model is loading', async () =>
    Object.values(await faults()).every(({ state }) => state !== 'loading'),
  ),
);

describe('a model repository of Triton, unchanged', () => {
  it('P2: serves the model with its configuration: labels, batches and the latest version', async () => {
    const before = (await server.metrics()).batches('digits');
    const calls = Array.from({ length: 40 }, (_, index) => samples[index % samples.length]!);
    const inputs = calls.map(({ pixels }) => ({ pixels }));
    const results = await predictMany<Classified>(server, 'digits', inputs, '3');
    expect(results.map(({ top_labels: [best] }) => best!.label)).toEqual(
      calls.map(({ label }) => NAMES.split(' ')[label]),
    );
    const after = (await server.metrics()).batches('digits');
    expect(after.count - before.count).toBeLessThan(40);
    expect((await server.predict('digits', {}, { version: '1' })).body.code).toBe('version_not_found');
  });

  it('shows the options that the configuration comes to', async () => {
    const { body } = await server.send('/admin/models/digits/3');
    expect(body).toMatchObject({
      options: { max_batch_size: 16, workers: 2, max_wait_time: 0.001, preferred_batch_sizes: [4, 8] },
    });
  });

  it('serves a model without a configuration, and every version where the policy says so', async () => {
    expect((await server.predict('negation', { x: [1, 2] })).body.result).toMatchObject({
      y: { data: [-1, -2] },
    });
    const versions = ['1', '2', undefined].map((version) =>
      server.predict('both', { x: [-1, -2] }, version === undefined ? {} : { version }),
    );
    expect((await Promise.all(versions)).map(({ body }) => body.result)).toMatchObject([
      { y: { data: [1, 2] } },
      { y: { data: [1, 2] } },
      { y: { data: [1, 2] } },
    ]);
  });

  it('tells the health of each version', async () => {
    const { info = {} } = (await (await fetch(`${server.url}/health`)).json()) as HealthReport;
    const keys = Object.keys(info).filter((key) => key.startsWith('model:'));
    expect(keys.sort()).toEqual(['model:both:1', 'model:both:2', 'model:digits', 'model:negation']);
  });

  it.each([
    ['python', "config.pbtxt: backend 'python' is not served: it must be onnxruntime"],
    ['damaged', "'model.onnx' is no ONNX model, or is damaged"],
    ['mismatch', "input 'x' is declared as float32 [3], and is float32 [2] in the file"],
  ])('a model that cannot be served fails alone, with its reason: %s', async (name, reason) => {
    expect((await faults())[`model:${name}`]).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining(reason) as string,
    });
    expect(Object.keys(await faults()).sort()).toEqual(['model:damaged', 'model:mismatch', 'model:python']);
  });

  it.each([
    ['digits', 'config.pbtxt: optimization is not used'],
    [
      'digits',
      'config.pbtxt: instance_group.kind asks for GPUs, which this server does not have: runs on cpu',
    ],
  ])('says what does nothing here: %s: %s', (model, warning) => {
    expect(server.logged(warning)).toMatchObject([{ model, level: 40 }]);
  });
});
