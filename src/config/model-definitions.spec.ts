import { describe, expect, it } from 'vitest';
import { readModelDefinitions } from './model-definitions.js';
import { SettingError } from './setting-error.js';

const FILE = '/etc/smartbatch/smartbatch.yaml';
const beside = (file: string) => `/etc/smartbatch/${file}`;
const read = (models: unknown) => readModelDefinitions(models, FILE);

function refusal(models: unknown): string {
  try {
    read(models);
  } catch (error) {
    if (error instanceof SettingError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the models of a configuration file', () => {
  it('have a source, a version and options', () => {
    const settings = { module: 'digits-model', function: 'Digits', handler: 'read', version: 'v2' };
    const options = { max_wait_time: 0.005, workers: 2 };
    expect(read({ digits: { ...settings, ...options } })).toEqual([
      {
        name: 'digits',
        version: 'v2',
        source: { specifier: 'digits-model', exportName: 'Digits', handlerName: 'read' },
        options: { maxWaitMs: 5, workers: 2 },
      },
    ]);
  });

  it('need no more than a module', () => {
    expect(read({ digits: { module: 'digits' } })).toEqual([
      { name: 'digits', source: { specifier: 'digits' }, options: {} },
    ]);
    expect(read({})).toEqual([]);
  });

  it('may be an ONNX file, with labels', () => {
    const settings = { onnx: './digits.onnx', labels: '/opt/labels.txt', batched: false, workers: 2 };
    expect(read({ digits: settings })).toEqual([
      {
        name: 'digits',
        source: {
          specifier: '#onnx',
          exportName: 'onnxFileModule',
          settings: { file: '/etc/smartbatch/digits.onnx', labels: '/opt/labels.txt', isStacked: false },
        },
        options: { workers: 2 },
      },
    ]);
  });

  it.each([
    ['./digits.js', 'file:///etc/smartbatch/digits.js'],
    ['../models/digits.js', 'file:///etc/models/digits.js'],
    ['/opt/digits.js', 'file:///opt/digits.js'],
    ['./a model #1.js', 'file:///etc/smartbatch/a%20model%20%231.js'],
    ['@team/digits', '@team/digits'],
    ['digits', 'digits'],
  ])('have their module %s beside the file, or are a package', (module, specifier) => {
    expect(read({ m: { module } })[0]).toMatchObject({ source: { specifier } });
  });

  it.each([
    [2, '2'],
    [1.5, '1.5'],
    ['1.10', '1.10'],
  ])('may have their version %j written without quotes', (version, label) => {
    expect(read({ m: { module: 'm', version } })[0]!.version).toBe(label);
  });

  it('may have several versions, which share what stands beside them', () => {
    const versions = { 1: { onnx: './old.onnx', workers: 1 }, v2: {} };
    const shared = { onnx: './new.onnx', workers: 2, max_batch_size: 8, required: false };
    expect(read({ m: { ...shared, versions, traffic: { default: '1' } } })).toEqual([
      {
        name: 'm',
        version: '1',
        required: false,
        source: { specifier: '#onnx', exportName: 'onnxFileModule', settings: { file: beside('old.onnx') } },
        options: { workers: 1, maxBatchSize: 8 },
      },
      {
        name: 'm',
        version: 'v2',
        required: false,
        source: { specifier: '#onnx', exportName: 'onnxFileModule', settings: { file: beside('new.onnx') } },
        options: { workers: 2, maxBatchSize: 8 },
      },
    ]);
  });

  it('keep the order in which they are written', () => {
    const names = ['b', 'a', 'c'];
    const models = Object.fromEntries(names.map((name) => [name, { module: name }]));
    expect(read(models).map(({ name }) => name)).toEqual(names);
  });
});

describe('a model that is not right is named with its fault', () => {
  it.each([
    [null, 'models must map names to their settings'],
    [['digits'], 'models must map names to their settings'],
    [{ digits: null }, 'models.digits must be a mapping with at least a module or onnx'],
    [{ digits: './digits.js' }, 'models.digits must be a mapping with at least a module or onnx'],
    [{ digits: {} }, "models.digits.module must be a path or a package's name"],
    [{ digits: { module: 5 } }, "models.digits.module must be a path or a package's name"],
    [{ digits: { onnx: 5 } }, 'models.digits.onnx must be the path of an ONNX file'],
    [{ digits: { onnx: './m.onnx', module: 'm' } }, 'models.digits.module cannot stand beside onnx'],
    [{ digits: { onnx: './m.onnx', handler: 'm' } }, 'models.digits.handler cannot stand beside onnx'],
    [{ digits: { onnx: './m.onnx', labels: ['a'] } }, 'models.digits.labels must be a string, not ["a"]'],
    [
      { digits: { onnx: './m.onnx', batched: 'no' } },
      'models.digits.batched must be true or false, not "no"',
    ],
    [{ digits: { onnx: './m.onnx', lables: 'l' } }, 'models.digits: lables is not an option'],
    [{ digits: { module: 'm', labels: 'l' } }, 'models.digits: labels is not an option'],
    [{ digits: { module: 'm', function: 5 } }, 'models.digits.function must be a string, not 5'],
    [{ digits: { module: 'm', handler: [] } }, 'models.digits.handler must be a string, not []'],
    [{ digits: { module: 'm', version: null } }, 'models.digits.version must be a string, not null'],
    [{ digits: { module: 'm', batch_size: 8 } }, 'models.digits: batch_size is not an option'],
    [{ digits: { module: 'm', workers: 0 } }, 'models.digits: workers must be >= 1'],
    [{ m: { module: 'm', version: 'a b' } }, 'models.m: a version must be 1 to 128'],
    [{ m: { module: 'm', version: 'traffic' } }, 'models.m: a version must be 1 to 128'],
    [{ m: { module: 'm', versions: {} } }, "models.m.versions must map each version's label to its settings"],
    [{ m: { module: 'm', versions: ['1'] } }, "models.m.versions must map each version's label"],
    [{ m: { module: 'm', versions: { 1: null } } }, 'models.m.versions.1 must be a mapping'],
    [
      { m: { module: 'm', version: '1', versions: { 2: {} } } },
      'models.m.version cannot stand beside versions',
    ],
    [{ m: { module: 'm', versions: { 2: { version: '3' } } } }, 'models.m.versions.2.version is what 2 says'],
    [{ m: { versions: { 2: {} } } }, "models.m.versions.2.module must be a path or a package's name"],
    [{ m: { module: 'm', versions: { 'a b': {} } } }, 'models.m.versions.a b: a version must be 1 to 128'],
    [{ m: { module: 'm', versions: { 2: { wait: 1 } } } }, 'models.m.versions.2: wait is not an option'],
    [{ constructor: { module: 'm' } }, "models.constructor: a model's name must be"],
    [{ '..': { module: 'm' } }, "models...: a model's name must be"],
    [{ 'a/b': { module: 'm' } }, "models.a/b: a model's name must be 1 to 128 of A–Z a–z 0–9 . _ -"],
    [{ '': { module: 'm' } }, "models.: a model's name must be 1 to 128"],
    [{ ['x'.repeat(129)]: { module: 'm' } }, "a model's name must be 1 to 128"],
  ])('%j', (models, message) => {
    expect(refusal(models)).toContain(message);
    expect(refusal(models)).toContain(FILE);
  });
});
