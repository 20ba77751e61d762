import { OnnxGraph, type OnnxAxis } from '#onnx';
import { ProtobufMessage } from '../../libs/onnx/src/writer/protobuf-message.js';
import type { DataType } from '#model';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

// As ONNX numbers them: an element type, and where the data of a tensor lies.
const FLOAT = 1;
const EXTERNAL = 1;

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

/** An ONNX file that adds weights to its input which lie in a file of their own. @param location of that file */
export function weightsElsewhere(location: string): Uint8Array {
  const vector = (name: string) => {
    const axes = new ProtobufMessage().message(1, new ProtobufMessage().string(2, 'batch'));
    axes.message(1, new ProtobufMessage().integer(1, 2));
    const type = new ProtobufMessage().integer(1, FLOAT).message(2, axes);
    return new ProtobufMessage().string(1, name).message(2, new ProtobufMessage().message(1, type));
  };
  const weights = new ProtobufMessage()
    .integer(1, 2)
    .integer(2, FLOAT)
    .string(8, 'w')
    .message(13, new ProtobufMessage().string(1, 'location').string(2, location))
    .integer(14, EXTERNAL);
  const add = new ProtobufMessage().string(1, 'x').string(1, 'w').string(2, 'y').string(4, 'Add');
  const graph = new ProtobufMessage().message(1, add).string(2, 'elsewhere').message(5, weights);
  graph.message(11, vector('x')).message(12, vector('y'));
  return new ProtobufMessage()
    .integer(1, 8)
    .message(7, graph)
    .message(8, new ProtobufMessage().string(1, '').integer(2, 17))
    .toBytes();
}

/** An ONNX file that looks as if it took batches, and mixes their rows: `y` is `x` less the mean of the batch. */
export function mixingRows(): Uint8Array {
  const graph = new OnnxGraph('mixing');
  const x = graph.input('x', 'float32', ['batch', 2]);
  const mean = graph.node('ReduceMean', [x], { axes: [0], keepdims: 1 });
  graph.output(graph.node('Sub', [x, mean], {}, 'y'), 'float32', ['batch', 2]);
  return graph.toBytes();
}
