import type { ServingError } from '#model';
import { describe, expect, it } from 'vitest';
import { DefinitionReader } from './definition-reader.js';
import type { SourceFields, SourceKind } from './source-kind.js';

const resolved: SourceFields[] = [];

function kind(field: string, besides: SourceKind['besides']): SourceKind {
  const resolve = async (fields: SourceFields) => {
    resolved.push(fields);
    return { specifier: `${field}:${String(fields[field])}` };
  };
  return { field, besides, resolve };
}

const reader = new DefinitionReader([
  kind('module', { function: 'string' }),
  kind('onnx', { batched: 'boolean' }),
]);

async function faultsOf(name: string, settings: unknown): Promise<string[]> {
  const before = resolved.length;
  const error = await reader.read(name, settings).catch((thrown: unknown) => thrown);
  // Nothing is looked for before everything else is right.
  expect(resolved).toHaveLength(before);
  expect(error).toMatchObject({ code: 'invalid_options', status: 422 });
  return (error as ServingError).faults!.map(({ field }) => field);
}

describe('what a client says of a model', () => {
  it('becomes a definition', async () => {
    const settings = {
      module: './m.js',
      function: 'run',
      version: 'v2',
      required: true,
      max_wait_time: 0.002,
      breaker: { threshold: 2 },
    };
    expect(await reader.read('m', settings)).toEqual({
      name: 'm',
      version: 'v2',
      required: true,
      source: { specifier: 'module:./m.js' },
      options: { maxWaitMs: 2, breakerThreshold: 2 },
    });
    expect(resolved.at(-1)).toEqual({ module: './m.js', function: 'run' });
  });

  it('chooses its kind of source by its field', async () => {
    const { source } = await reader.read('m', { onnx: 'm.onnx', batched: false });
    expect(source).toEqual({ specifier: 'onnx:m.onnx' });
    expect(resolved.at(-1)).toEqual({ onnx: 'm.onnx', batched: false });
  });

  it.each([
    ['no source', {}, ['module']],
    ['two sources', { module: 'a', onnx: 'b' }, ['onnx']],
    ['a field of the other kind', { module: 'a', batched: true }, ['batched']],
    ['fields of the wrong type', { onnx: 3, batched: 'yes' }, ['onnx', 'batched']],
    ['a version that is no text', { module: 'a', version: 2 }, ['version']],
    ['a version that is no label', { module: 'a', version: '../2' }, ['version']],
    ['a version with a name of its own', { module: 'a', version: 'traffic' }, ['version']],
    ['required that is no flag', { module: 'a', required: 'yes' }, ['required']],
    ['unknown fields', { module: 'a', wrkers: 2, timout: 1 }, ['wrkers', 'timout']],
    ['a list', [], ['the body']],
    ['nothing', null, ['the body']],
  ])('is refused with %s, naming the fields', async (_, settings, fields) => {
    expect(await faultsOf('m', settings)).toEqual(fields);
  });

  it.each(['', 'a b', 'a/b', 'ä', 'x'.repeat(129)])('is refused under the name %j', async (name) => {
    expect(await faultsOf(name, { module: 'a' })).toEqual(['name']);
  });
});
