import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ModelRepository } from './model-repository.js';

let path: string;
let warnings: string[];
let repository: ModelRepository;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'smartbatch-repository-'));
  warnings = [];
  repository = new ModelRepository(path, ['cpu'], (model, warning) => warnings.push(`${model}: ${warning}`));
});
afterEach(() => rmSync(path, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
}

async function versions(name: string): Promise<string[]> {
  return (await repository.read(name)).map(({ version }) => version);
}

describe('a model repository', () => {
  it('has a model for each folder', async () => {
    write({ 'b/1/model.onnx': '', 'a/1/model.onnx': '', 'README.md': '', '.git/config': '' });
    expect(await repository.names()).toEqual(['a', 'b']);
    expect(await repository.read('a')).toMatchObject([
      {
        name: 'a',
        version: '1',
        definition: { source: { settings: { file: join(path, 'a/1/model.onnx') } } },
      },
    ]);
  });

  it.each([
    ['', ['10']],
    ['version_policy { latest { num_versions: 2 } }', ['9', '10']],
    ['version_policy { all {} }', ['2', '9', '10']],
    ['version_policy { specific { versions: [9, 2] } }', ['9', '2']],
  ])('serves the versions that its policy says: %j', async (policy, expected) => {
    const files = ['2', '9', '10', '01', 'v3', 'labels'].map((version) => [`m/${version}/model.onnx`, '']);
    write({ ...Object.fromEntries(files), 'm/config.pbtxt': policy });
    expect(await versions('m')).toEqual(expected);
  });

  it('finds the files that a configuration names', async () => {
    write({
      'm/1/net.onnx': '',
      'm/config.pbtxt': `default_model_filename: "net.onnx" max_batch_size: 4 colour: 1
        output { name: "y" data_type: TYPE_FP32 dims: 2 label_filename: "labels.txt" }
        model_warmup { inputs { key: "x" value { data_type: TYPE_FP32 dims: 1 input_data_file: "x.raw" } } }`,
    });
    const [model] = await repository.read('m');
    expect(model!.definition).toMatchObject({
      options: { maxBatchSize: 4 },
      source: {
        settings: {
          file: join(path, 'm/1/net.onnx'),
          isStacked: true,
          labels: join(path, 'm/labels.txt'),
          labelledOutput: 'y',
          warmup: [{ x: { data: { file: join(path, 'm/warmup/x.raw') } } }],
        },
      },
    });
    expect(warnings).toEqual(['m: config.pbtxt: colour is not used']);
  });

  it('may hold a model in a folder of its name, beside its weights', async () => {
    write({ 'm/1/model.onnx/model.onnx': '', 'm/1/model.onnx/weights.bin': '' });
    expect(await repository.read('m')).toMatchObject([
      { definition: { source: { settings: { file: join(path, 'm/1/model.onnx/model.onnx') } } } },
    ]);
  });

  it.each([
    [{ 'm/config.pbtxt': '' }, 'it has no version: a folder whose name is a number, such as 1'],
    [{ 'm/1/model.plan': '' }, "version 1 has no file 'model.onnx'"],
    [{ 'm/1/model.onnx': '', 'm/config.pbtxt': 'name: ' }, 'config.pbtxt: line 1: '],
    [
      { 'm/1/model.onnx': '', 'm/config.pbtxt': 'version_policy { specific { versions: 2 } }' },
      'version_policy asks for version 2; there are 1',
    ],
  ])('BC-089 keeps the fault of a model with it: %j', async (files, fault) => {
    write(files);
    const [model, ...others] = await repository.read('m');
    expect(others).toEqual([]);
    expect(model!.definition).toMatchObject({ name: 'm', fault: expect.stringContaining(fault) as string });
  });

  it('knows when a version is another one', async () => {
    write({ 'm/1/model.onnx': 'a', 'm/config.pbtxt': '', 'm/labels.txt': 'a' });
    const fingerprint = async () => (await repository.read('m'))[0]!.fingerprint;
    const first = await fingerprint();
    expect(await fingerprint()).toBe(first);
    const seen = new Set([first]);
    for (const name of ['m/1/model.onnx', 'm/1/weights.bin', 'm/labels.txt', 'm/config.pbtxt']) {
      write({ [name]: '# changed' });
      seen.add(await fingerprint());
    }
    expect(seen.size).toBe(5);
  });
});
