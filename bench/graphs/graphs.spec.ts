import { elementCount, tensor, type Tensor } from '#model';
import { OnnxSession, SeededNumbers } from '#onnx';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resNet18 } from './resnet-18.js';
import { textEncoder } from './text-encoder.js';
import { wideMlp } from './wide-mlp.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'smartbatch-graphs-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(bytes: Uint8Array, inputs: Record<string, Tensor>): Promise<Tensor> {
  const file = join(folder, 'graph.onnx');
  await writeFile(file, bytes);
  const session = await OnnxSession.open(file, { device: 'cpu', intraOpThreads: 1 });
  const outputs = await session.run(inputs);
  await session.release();
  return Object.values(outputs)[0]!;
}

function noise(...shape: number[]): Tensor {
  return tensor('float32', shape, new SeededNumbers(5).uniform(elementCount(shape), 1));
}

function integers(...rows: number[][]): Tensor {
  return tensor('int64', [rows.length, rows[0]!.length], BigInt64Array.from(rows.flat(), BigInt));
}

describe('bench graphs', () => {
  it('are the same for the same seed, and others for another', () => {
    const tiny = { layers: 1, width: 8, heads: 2, feedForward: 16, vocabulary: 10, positions: 8 };
    expect(textEncoder(tiny)).toEqual(textEncoder(tiny));
    expect(textEncoder(tiny)).not.toEqual(textEncoder({ ...tiny, seed: 2 }));
  });

  it('wide MLP gives finite values that differ by item', async () => {
    const { shape, data } = await run(wideMlp(), { x: noise(2, 512) });
    expect(shape).toEqual([2, 1000]);
    expect((data as Float32Array).every(Number.isFinite)).toBe(true);
    expect(data.slice(0, 1000)).not.toEqual(data.slice(1000));
  });

  it.each([32, 224])('ResNet-18 of %d pixels gives finite logits of a sane size', async (imageSize) => {
    const { shape, data } = await run(resNet18({ imageSize }), { image: noise(1, 3, imageSize, imageSize) });
    expect(shape).toEqual([1, 1000]);
    const largest = Math.max(...(data as Float32Array).map(Math.abs));
    expect(largest).toBeGreaterThan(0.01);
    expect(largest).toBeLessThan(1000);
  });

  it('text encoder gives unit vectors that padding does not change', async () => {
    const graph = textEncoder({ vocabulary: 100 });
    const short = await run(graph, {
      input_ids: integers([3, 1, 4, 1]),
      attention_mask: integers([1, 1, 1, 1]),
    });
    const padded = await run(graph, {
      input_ids: integers([3, 1, 4, 1, 7, 7]),
      attention_mask: integers([1, 1, 1, 1, 0, 0]),
    });
    expect(short.shape).toEqual([1, 384]);
    const vector = short.data as Float32Array;
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    vector.forEach((value, index) => expect(padded.data[index]).toBeCloseTo(value, 5));
  });
});
