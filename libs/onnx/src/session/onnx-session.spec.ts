import { tensor, type DataType, type Tensor } from '#model';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { InferenceSession } from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OnnxGraph, type OnnxAxis } from '../writer/onnx-graph.js';
import { OnnxSession } from './onnx-session.js';

const OPTIONS = { device: 'cpu', intraOpThreads: 1 };

let folder: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'smartbatch-onnx-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function open(graph: OnnxGraph): Promise<OnnxSession> {
  const file = join(folder, `${files++}.onnx`);
  await writeFile(file, graph.toBytes());
  return OnnxSession.open(file, OPTIONS);
}

function identity(dtype: DataType, shape: readonly OnnxAxis[]): Promise<OnnxSession> {
  const graph = new OnnxGraph('identity');
  graph.output(graph.node('Identity', [graph.input('x', dtype, shape)], {}, 'y'), dtype, shape);
  return open(graph);
}

function sum(): Promise<OnnxSession> {
  const graph = new OnnxGraph('sum');
  const a = graph.input('a', 'float32', ['batch', 2]);
  const b = graph.input('b', 'float32', ['batch', 2]);
  graph.output(graph.node('Add', [a, b], {}, 'total'), 'float32', ['batch', 2]);
  return open(graph);
}

const pair = tensor('float32', [1, 2], Float32Array.of(1, 2));

describe('element types', () => {
  const samples: Tensor[] = [
    tensor('float32', [2, 2], Float32Array.of(1.5, -2, 0, Infinity)),
    tensor('float64', [2, 2], Float64Array.of(Math.PI, -0, 1e300, 5e-324)),
    tensor('float16', [2, 2], Uint16Array.of(0x3c00, 0xc000, 0x7c00, 0x0001)),
    tensor('int8', [2, 2], Int8Array.of(-128, 127, 0, 1)),
    tensor('int16', [2, 2], Int16Array.of(-32768, 32767, 0, 1)),
    tensor('int32', [2, 2], Int32Array.of(-(2 ** 31), 2 ** 31 - 1, 0, 1)),
    tensor('int64', [2, 2], BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n, 0n, 1n)),
    tensor('uint8', [2, 2], Uint8Array.of(255, 0, 1, 2)),
    tensor('uint16', [2, 2], Uint16Array.of(65535, 0, 1, 2)),
    tensor('uint32', [2, 2], Uint32Array.of(2 ** 32 - 1, 0, 1, 2)),
    tensor('uint64', [2, 2], BigUint64Array.of(2n ** 64n - 1n, 0n, 1n, 2n)),
    tensor('bool', [2, 2], Uint8Array.of(1, 0, 0, 1)),
    tensor('string', [2, 2], ['a', '', 'ü', '🙂']),
  ];

  it.each(samples.map((sample) => [sample.dtype, sample] as const))('carries %s', async (dtype, sample) => {
    const session = await identity(dtype, ['batch', 2]);
    expect(session.inputs).toEqual([{ name: 'x', dtype, shape: [null, 2], batchAxis: 0 }]);
    const { y } = await session.run({ x: sample });
    expect(y).toEqual(sample);
    expect(y!.data.constructor).toBe(sample.data.constructor);
    await session.release();
  });

  it('reads a view into a larger buffer', async () => {
    const session = await identity('float32', ['batch', 2]);
    const { y } = await session.run({
      x: tensor('float32', [1, 2], Float32Array.of(9, 1, 2, 9).subarray(1, 3)),
    });
    expect(y).toEqual(pair);
  });

  it('reads shared memory', async () => {
    const session = await identity('float32', ['batch', 2]);
    const shared: Float32Array = new Float32Array(new SharedArrayBuffer(8));
    shared.set([1, 2]);
    const { y } = await session.run({
      x: { ...pair, data: shared as Float32Array<ArrayBuffer> },
    });
    expect(y).toEqual(pair);
  });
});

describe('shapes', () => {
  it('reports named and nameless free axes as null', async () => {
    const session = await identity('float32', [null, 'rows', 3]);
    expect(session.inputs[0]).toMatchObject({ shape: [null, null, 3], batchAxis: 0 });
    expect(session.inputs[0]).not.toHaveProperty('fixedBatch');
  });

  it('BC-035 reports a fixed first axis, and refuses a batch instead of answering nonsense', async () => {
    const session = await identity('float32', [1, 2]);
    expect(session.inputs[0]).toMatchObject({ shape: [1, 2], batchAxis: null, fixedBatch: 1 });
    await expect(session.run({ x: tensor('float32', [2, 2], new Float32Array(4)) })).rejects.toMatchObject({
      code: 'wrong_shape',
      message: "input 'x' must be float32 [1, 2], not float32 [2, 2]",
    });
  });

  it('gives a scalar neither a batch axis nor a fixed batch', async () => {
    const session = await identity('int64', []);
    expect(session.inputs).toEqual([{ name: 'x', dtype: 'int64', shape: [], batchAxis: null }]);
    const { y } = await session.run({ x: tensor('int64', [], BigInt64Array.of(16000n)) });
    expect(y).toEqual(tensor('int64', [], BigInt64Array.of(16000n)));
  });

  it.each(['float32', 'string'] as const)('runs an empty batch of %s', async (dtype) => {
    const session = await identity(dtype, ['batch', 2]);
    const data = dtype === 'string' ? [] : new Float32Array(0);
    const { y } = await session.run({ x: { dtype, shape: [0, 2], data } });
    expect(y).toEqual({ dtype, shape: [0, 2], data });
  });

  it('gives every output in the order of the file', async () => {
    const graph = new OnnxGraph('halves');
    const x = graph.input('x', 'float32', ['batch', 2]);
    graph.nodeWithOutputs('Split', [x, graph.integers([1, 1])], ['right', 'left'], { axis: 1 });
    graph.output('right', 'float32', ['batch', 1]);
    graph.output('left', 'float32', ['batch', 1]);
    graph.output(graph.node('Shape', [x], {}, 'shape'), 'int64', [2]);
    const session = await open(graph);
    const results = await session.run({ x: pair });
    expect(session.outputs.map(({ name }) => name)).toEqual(['right', 'left', 'shape']);
    expect(results).toEqual({
      right: tensor('float32', [1, 1], Float32Array.of(1)),
      left: tensor('float32', [1, 1], Float32Array.of(2)),
      shape: tensor('int64', [2], BigInt64Array.of(1n, 2n)),
    });
  });
});

describe('errors', () => {
  const ints = tensor('int32', [1, 2], Int32Array.of(1, 2));

  it.each([
    ['a missing input', { a: pair }, 'missing_input', "input 'b' is missing; the model takes 'a', 'b'"],
    ['an unknown input', { a: pair, b: pair, c: pair }, 'unknown_input', "no input 'c'; it takes 'a', 'b'"],
    [
      'a wrong dtype',
      { a: pair, b: ints },
      'wrong_dtype',
      "input 'b' must be float32 [any, 2], not int32 [1, 2]",
    ],
    [
      'a wrong axis',
      { a: tensor('float32', [1, 3], new Float32Array(3)), b: pair },
      'wrong_shape',
      "input 'a' must be float32 [any, 2], not float32 [1, 3]",
    ],
    [
      'a wrong rank',
      { a: tensor('float32', [2], new Float32Array(2)), b: pair },
      'wrong_shape',
      "input 'a' must be float32 [any, 2], not float32 [2]",
    ],
    [
      'data that does not fill its shape',
      { a: { ...pair, data: new Float32Array(1) }, b: pair },
      'wrong_shape',
      "the data of input 'a' is not that of a float32 [1, 2]",
    ],
    [
      'what only the runtime can see',
      {
        a: tensor('float32', [3, 2], new Float32Array(6)),
        b: tensor('float32', [2, 2], new Float32Array(4)),
      },
      'run_failed',
      'the model failed',
    ],
  ])('names %s', async (_, inputs: Record<string, Tensor>, code, message) => {
    const session = await sum();
    const error: unknown = await session.run(inputs).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      name: 'OnnxError',
      code,
      message: expect.stringContaining(message),
    });
    expect(await session.run({ a: pair, b: pair })).toHaveProperty('total');
  });

  it('names a missing file and a broken one', async () => {
    const missing = pathToFileURL(join(folder, 'missing.onnx'));
    await expect(OnnxSession.open(missing, OPTIONS)).rejects.toMatchObject({ code: 'cannot_open' });
    const broken = join(folder, 'broken.onnx');
    await writeFile(broken, 'not a model');
    await expect(OnnxSession.open(broken, OPTIONS)).rejects.toMatchObject({ code: 'cannot_open' });
  });

  it.each(['gpu', 'cuda', 'cuda:-1', 'CPU', ''])('refuses the device "%s"', async (device) => {
    const opening = OnnxSession.open('any.onnx', { device, intraOpThreads: 1 });
    await expect(opening).rejects.toMatchObject({ code: 'device_unavailable' });
  });

  it('never falls back from a device that is not there', async () => {
    const file = join(folder, 'device.onnx');
    const graph = new OnnxGraph('device');
    graph.output(graph.node('Identity', [graph.input('x', 'float32', [1])], {}, 'y'), 'float32', [1]);
    await writeFile(file, graph.toBytes());
    // 999 so that it fails on a machine with GPUs as well.
    await expect(OnnxSession.open(file, { device: 'cuda:999', intraOpThreads: 1 })).rejects.toMatchObject({
      code: 'device_unavailable',
      message: expect.stringContaining("'cuda:999'"),
    });
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses %d threads', async (intraOpThreads) => {
    const opening = OnnxSession.open('any.onnx', { device: 'cpu', intraOpThreads });
    await expect(opening).rejects.toThrow(RangeError);
  });
});

describe('runs that are called at the same time', () => {
  it('BC-109 follow each other, and each gives what its own inputs ask for', async () => {
    const session = await sum();
    let running = 0;
    const together: number[] = [];
    // A class, which its types show as no more than what creates sessions.
    const { prototype } = InferenceSession as unknown as { readonly prototype: InferenceSession };
    const native = Reflect.get(prototype, 'run') as (...given: unknown[]) => Promise<unknown>;
    const spy = vi.spyOn(prototype, 'run').mockImplementation(async function (
      this: InferenceSession,
      ...given: unknown[]
    ) {
      together.push(++running);
      // Without this a run would be over before another could begin.
      await setImmediate();
      return native.apply(this, given).finally(() => running--) as ReturnType<InferenceSession['run']>;
    });
    const tags = Array.from({ length: 50 }, (_, tag) => tag);
    const totals = await Promise.all(
      tags.map(async (tag) => {
        const { total } = await session.run({
          a: tensor('float32', [1, 2], Float32Array.of(tag, -tag)),
          b: pair,
        });
        return total;
      }),
    );
    spy.mockRestore();
    expect(together).toEqual(tags.map(() => 1));
    expect(totals).toEqual(tags.map((tag) => tensor('float32', [1, 2], Float32Array.of(1 + tag, 2 - tag))));
    await session.release();
  });
});

describe('release', () => {
  it('waits for the runs before it, refuses those after it, and may be repeated', async () => {
    const session = await sum();
    const runs = Array.from({ length: 5 }, () => session.run({ a: pair, b: pair }));
    let ended = 0;
    for (const run of runs) void run.then(() => ended++);
    const releases = [session.release(), session.release()];
    await expect(session.run({ a: pair, b: pair })).rejects.toMatchObject({ code: 'released' });
    await Promise.all(releases);
    expect(ended).toBe(5);
  });
});
