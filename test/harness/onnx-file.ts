import { OnnxGraph, type OnnxAxis } from '#onnx';
import type { DataType } from '#model';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Writes a file into a folder of its own, and returns its path. */
export function writeFixture(name: string, content: string | Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), 'smartbatch-onnx-')), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** An ONNX file whose output `y` is one operator of its input `x`, with the same shape. */
export function oneOperator(
  operator: string,
  shape: readonly OnnxAxis[],
  dtype: DataType = 'float32',
): Uint8Array {
  const graph = new OnnxGraph(operator);
  graph.output(graph.node(operator, [graph.input('x', dtype, shape)], {}, 'y'), dtype, shape);
  return graph.toBytes();
}

/** An ONNX file that looks as if it took batches, and mixes their rows: `y` is `x` less the mean of the batch. */
export function mixingRows(): Uint8Array {
  const graph = new OnnxGraph('mixing');
  const x = graph.input('x', 'float32', ['batch', 2]);
  const mean = graph.node('ReduceMean', [x], { axes: [0], keepdims: 1 });
  graph.output(graph.node('Sub', [x, mean], {}, 'y'), 'float32', ['batch', 2]);
  return graph.toBytes();
}
