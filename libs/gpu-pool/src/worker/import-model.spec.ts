import { describe, expect, it } from 'vitest';
import type { ModelSource } from '../protocol/worker-messages.js';
import { importModel as importModelAt } from './import-model.js';

const importModel = (source: ModelSource) => importModelAt(source, { device: 'cpu', intraOpThreads: 1 });
const file = (name: string) => new URL(`../../test/models/${name}.ts`, import.meta.url).href;

async function runOnce(model: Awaited<ReturnType<typeof importModel>>, batch: unknown[]): Promise<unknown> {
  const assignment = { workerId: 0, device: 'cpu', model: { name: 'm', version: '1', intraOpThreads: 1 } };
  const { handler } = await model.start(
    { ...assignment, maxBatchCost: undefined, maxBatchSize: 4, selfCheck: 'off' },
    () => undefined,
  );
  return handler.handle(batch as never, {} as never);
}

describe('which export of a file is the model', () => {
  it('the only function, whatever stands beside it', async () => {
    const model = await importModel({ specifier: file('one-function') });
    expect(model.manifest).toEqual({ handler: { streaming: false }, input: {}, output: {} });
    expect(await runOnce(model, ['a'])).toEqual(['a']);
  });

  it('the default export before all others', async () => {
    const model = await importModel({ specifier: file('with-default') });
    expect(model.manifest.handler.streaming).toBe(true);
  });

  it('the Nest module before functions and providers', async () => {
    const model = await importModel({ specifier: file('counter.module') });
    expect(model.manifest.handler).toEqual({ name: 'counter', version: 'v2', maxBatchSize: 4 });
  });

  it('the one that is named, before every rule', async () => {
    const second = await importModel({ specifier: file('two-functions'), exportName: 'second' });
    expect(await runOnce(second, ['a'])).toEqual([2]);
    const helper = await importModel({ specifier: file('with-default'), exportName: 'helper' });
    expect(await runOnce(helper, ['a'])).toEqual(['a']);
    const unrelated = await importModel({ specifier: file('counter.module'), exportName: 'unrelated' });
    expect(unrelated.manifest.handler.name).toBeUndefined();
  });

  it('a function with the options that it was marked with', async () => {
    const first = await importModel({ specifier: file('two-functions'), exportName: 'first' });
    expect(first.manifest.handler).toEqual({ name: 'marked', maxBatchSize: 7 });
  });

  it('a dynamic module, when it is named', async () => {
    const source = {
      specifier: file('two-handlers.module'),
      exportName: 'configured',
      handlerName: 'negate',
    };
    const model = await importModel(source);
    expect(await runOnce(model, [3])).toEqual([-3]);
  });
});

describe('BC-089 a source that is no model', () => {
  it.each([
    ['two-functions', {}, 'several exports could be the model (first, second); say which one is meant'],
    ['two-handlers.module', {}, 'several exports could be the model (ArithmeticModule, '],
    ['no-model', {}, 'no export is a Nest module or a function; it exports '],
    ['one-function', { exportName: 'ecko' }, "export 'ecko' does not exist; it exports "],
    ['one-function', { exportName: 'LABELS' }, "export 'LABELS' is neither a Nest module nor a function"],
    ['one-function', { exportName: 'Input' }, "export 'Input' is neither a Nest module nor a function"],
    [
      'two-handlers.module',
      { exportName: 'EmptyModule' },
      'no provider of the module has a @BatchedHandler()',
    ],
    [
      'two-handlers.module',
      { exportName: 'ArithmeticModule' },
      'the module has several handlers (double, negate); say which one is meant',
    ],
    [
      'two-handlers.module',
      { exportName: 'ArithmeticModule', handlerName: 'halve' },
      "the module has no handler named 'halve', it has double, negate",
    ],
  ])('%s with %j says why', async (name, rest, message) => {
    await expect(importModel({ specifier: file(name), ...rest })).rejects.toThrow(message);
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'BC-119 has no export %s that it did not write',
    async (exportName) => {
      const loading = importModel({ specifier: file('one-function'), exportName });
      await expect(loading).rejects.toThrow(`export '${exportName}' does not exist`);
    },
  );

  it('does not exist', async () => {
    await expect(importModel({ specifier: file('missing') })).rejects.toThrow('missing');
  });
});
