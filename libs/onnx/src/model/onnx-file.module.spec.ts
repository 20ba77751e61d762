import { batchedHandlerOptions, DEVICE, MODEL_INFO, tensor, WORKER_ID, type DataType } from '#model';
import { Global, Module, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { OnnxGraph, type OnnxAxis } from '../writer/onnx-graph.js';
import { onnxFileModule } from './onnx-file.module.js';
import type { OnnxModelSettings } from './onnx-model-settings.js';
import type { TensorRecord } from './tensor-record.js';

const PLACE = { device: 'cpu', intraOpThreads: 1 };
const folder = mkdtempSync(join(tmpdir(), 'smartbatch-onnx-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

const open: INestApplicationContext[] = [];
afterEach(async () => {
  for (const context of open.splice(0)) await context.close();
});

function write(name: string, content: string | Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

function negation(dtype: DataType, shape: readonly OnnxAxis[]): string {
  const graph = new OnnxGraph('negation');
  graph.output(graph.node('Neg', [graph.input('x', dtype, shape)], {}, 'y'), dtype, shape);
  return write('negation.onnx', graph.toBytes());
}

/** The handler of a file's module, as a worker starts it. */
async function serve(settings: OnnxModelSettings) {
  const module = (await onnxFileModule(settings, PLACE)) as Type;
  @Global()
  @Module({
    providers: [
      { provide: DEVICE, useValue: 'cpu' },
      { provide: WORKER_ID, useValue: 0 },
      { provide: MODEL_INFO, useValue: { name: 'm', version: '1', intraOpThreads: 1 } },
    ],
    exports: [DEVICE, WORKER_ID, MODEL_INFO],
  })
  class WorkerModule {}
  @Module({ imports: [WorkerModule, module] })
  class Root {}
  const context = await NestFactory.createApplicationContext(Root, { logger: false, abortOnError: false });
  open.push(context);
  const [provider] = Reflect.getMetadata('providers', module) as Type[];
  const handler = context.get<{
    readonly predict: (batch: TensorRecord[], context: object) => Promise<unknown[]>;
  }>(provider!, { strict: false });
  const run = (batch: TensorRecord[], parameters: object = {}) =>
    handler.predict(batch, { items: batch.map(() => ({ parameters })) });
  return { run, options: batchedHandlerOptions(handler.predict)! };
}

const pair = (a: number, b: number): TensorRecord => ({ x: tensor('float32', [2], Float32Array.of(a, b)) });

describe('an ONNX file without code', () => {
  it('says what it takes and gives, with an example', async () => {
    const { options } = await serve({ file: negation('int64', ['batch', null, 2]) });
    const described = (name: string) => ({
      type: 'object',
      properties: { [name]: { tensor: { dtype: 'int64', shape: [null, 2] } } },
      required: [name],
      additionalProperties: false,
    });
    expect(options).toMatchObject({ name: 'negation', input: described('x'), output: described('y') });
    expect(options.batchSizeLimit).toBeUndefined();
    const { x } = options.example as { x: number[][] };
    expect(x).toHaveLength(16);
    expect(x.every((row) => row.length === 2)).toBe(true);
  });

  it('stacks its inputs, and gives each item its own rows of all outputs', async () => {
    const graph = new OnnxGraph('two');
    const a = graph.input('a', 'float32', ['batch', 2]);
    const b = graph.input('b', 'float32', ['batch']);
    graph.output(graph.node('Neg', [a], {}, 'minus_a'), 'float32', ['batch', 2]);
    graph.output(graph.node('Identity', [b], {}, 'same_b'), 'float32', ['batch']);
    const { run } = await serve({ file: write('two.onnx', graph.toBytes()) });
    const items = [1, 2, 3].map((n) => ({
      a: tensor('float32', [2], Float32Array.of(n, 10 * n)),
      b: tensor('float32', [], Float32Array.of(n)),
    }));
    expect(await run(items)).toEqual(
      [1, 2, 3].map((n) => ({
        minus_a: tensor('float32', [2], Float32Array.of(-n, -10 * n)),
        same_b: tensor('float32', [], Float32Array.of(n)),
      })),
    );
  });

  it.each(['bool', 'string', 'float16'] as const)('carries %s', async (dtype) => {
    const graph = new OnnxGraph('same');
    graph.output(graph.node('Identity', [graph.input('x', dtype, [null, 1])], {}, 'y'), dtype, [null, 1]);
    const { run } = await serve({ file: write('same.onnx', graph.toBytes()) });
    const data = { bool: Uint8Array.of(1), string: ['ä'], float16: Uint16Array.of(0x3c00) }[dtype];
    const x = { dtype, shape: [1], data } as TensorRecord[string];
    expect(await run([{ x }])).toEqual([{ y: x }]);
  });

  it('BC-035 with a fixed batch axis bounds batches and fills smaller ones up', async () => {
    const { run, options } = await serve({ file: negation('float32', [3, 2]) });
    expect(options.batchSizeLimit).toBe(3);
    const results = (await run([pair(1, 2), pair(3, 4)])) as { y: unknown }[];
    expect(results).toEqual([
      { y: tensor('float32', [2], Float32Array.of(-1, -2)) },
      { y: tensor('float32', [2], Float32Array.of(-3, -4)) },
    ]);
  });

  it('BC-035 without a batch axis runs one item at a time, with all its axes', async () => {
    const { run, options } = await serve({ file: negation('float32', [2]), isStacked: false });
    expect(options).toMatchObject({ batchSizeLimit: 1 });
    expect(await run([pair(1, 2)])).toEqual([{ y: tensor('float32', [2], Float32Array.of(-1, -2)) }]);
  });

  it('P2: refuses an output whose first axis turns out not to be the batch', async () => {
    const graph = new OnnxGraph('found');
    graph.output(graph.node('NonZero', [graph.input('x', 'float32', [null, 2])], {}, 'y'), 'int64', [
      null,
      null,
    ]);
    const { run } = await serve({ file: write('found.onnx', graph.toBytes()) });
    await expect(run([pair(0, 1), pair(1, 1), pair(1, 0)])).rejects.toMatchObject({
      code: 'contract_violation',
      message: "output 'y' has the shape [2, 4] for a batch of 3: its first axis is no batch axis",
    });
  });
});

describe('labels', () => {
  const labels = () => write('labels.txt', 'cat\ndog');

  it('are added to the answer, as many as the request asks for', async () => {
    const { run, options } = await serve({ file: negation('float32', [null, 2]), labels: labels() });
    expect(options.output).toMatchObject({ properties: { top_labels: { type: 'array' } } });
    expect(await run([pair(1, 2)])).toMatchObject([
      {
        top_labels: [
          { label: 'cat', index: 0, score: -1 },
          { label: 'dog', index: 1, score: -2 },
        ],
      },
    ]);
    expect(await run([pair(1, 2)], { top: 1 })).toMatchObject([{ top_labels: [{ label: 'cat' }] }]);
    expect(await run([pair(1, 2)], { top: 0 })).toMatchObject([
      { code: 'invalid_input', faults: [{ field: '/parameters/top' }] },
    ]);
  });

  it.each([
    [
      'too few numbers',
      [null, 3],
      undefined,
      'there are 2 labels, so exactly one output must have 2 numbers',
    ],
    ['an unknown output', [null, 2], 'z', "there are 2 labels, so output 'z' must have 2 numbers an item"],
  ])('are refused with %s', async (_, shape, labelledOutput, message) => {
    const settings = { file: negation('float32', shape), labels: labels() };
    const refused = serve({ ...settings, ...(labelledOutput === undefined ? {} : { labelledOutput }) });
    await expect(refused).rejects.toThrow(message);
  });
});

describe('a file that cannot be served says why, without its path', () => {
  it.each([
    ['is missing', () => join(folder, 'missing.onnx'), "there is no file 'missing.onnx'"],
    ['is no ONNX model', () => write('text.onnx', 'hello'), "'text.onnx' is no ONNX model, or is damaged"],
    ['is empty', () => write('empty.onnx', ''), "'empty.onnx' is no ONNX model, or is damaged"],
    [
      'is cut off',
      () => {
        const graph = new OnnxGraph('cut');
        graph.output(graph.node('Neg', [graph.input('x', 'float32', [null])], {}, 'y'), 'float32', [null]);
        return write('cut.onnx', graph.toBytes().slice(0, -20));
      },
      "'cut.onnx' is no ONNX model, or is damaged",
    ],
  ])('%s', async (_, file, reason) => {
    const refusal = await serve({ file: file() }).catch((error: Error) => error.message);
    expect(refusal).toBe(reason);
  });

  it('uses an operator that nobody knows', async () => {
    const graph = new OnnxGraph('odd');
    graph.output(graph.node('NoSuchOp', [graph.input('x', 'float32', [null])], {}, 'y'), 'float32', [null]);
    const refusal: unknown = await serve({ file: write('odd.onnx', graph.toBytes()) }).catch(
      (error: Error) => error.message,
    );
    expect(refusal).toContain('NoSuchOp');
    expect(refusal).not.toContain(folder);
  });
});
