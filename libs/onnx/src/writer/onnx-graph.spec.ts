import { tensor } from '#model';
import { InferenceSession, Tensor as RuntimeTensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { OnnxGraph } from './onnx-graph.js';

async function evaluate(graph: OnnxGraph, feeds: Record<string, RuntimeTensor> = {}): Promise<unknown> {
  const session = await InferenceSession.create(graph.toBytes());
  const { y } = await session.run(feeds);
  await session.release();
  return y!.data;
}

function double(): OnnxGraph {
  const graph = new OnnxGraph('double');
  const x = graph.input('x', 'float32', ['batch', 4]);
  graph.output(graph.node('Mul', [x, graph.scalar(2)], {}, 'y'), 'float32', ['batch', 4]);
  return graph;
}

describe('OnnxGraph', () => {
  it('writes equal bytes for equal calls', () => {
    expect(double().toBytes()).toEqual(double().toBytes());
  });

  it('writes integer, list, string and floating-point attributes', async () => {
    const graph = new OnnxGraph('attributes');
    const x = graph.input('x', 'float32', [1, 2]);
    const swapped = graph.node('Transpose', [x], { perm: [1, 0] });
    const flat = graph.node('Flatten', [swapped], { axis: 0 });
    const leaky = graph.node('LeakyRelu', [flat], { alpha: { float: 0.5 } });
    const padded = graph.node('Pad', [leaky, graph.integers([0, 1, 0, 1])], { mode: 'edge' });
    graph.output(graph.node('Identity', [padded], {}, 'y'), 'float32', [1, 4]);
    const feeds = { x: new RuntimeTensor('float32', Float32Array.of(-2, 3), [1, 2]) };
    expect(await evaluate(graph, feeds)).toEqual(Float32Array.of(-1, -1, 3, 3));
  });

  it('writes negative integers and lists of floating-point numbers', async () => {
    const graph = new OnnxGraph('negative');
    const values = graph.node('Constant', [], { value_floats: { floats: [1, 2, 4] } });
    const total = graph.node('ReduceMax', [values], { axes: [-1], keepdims: 1 });
    graph.output(graph.node('Identity', [total], {}, 'y'), 'float32', [1]);
    expect(await evaluate(graph)).toEqual(Float32Array.of(4));
  });

  it('writes constants of text', async () => {
    const graph = new OnnxGraph('text');
    const text = graph.constant(tensor('string', [2], ['ja', 'né']));
    graph.output(graph.node('Identity', [text], {}, 'y'), 'string', [2]);
    expect(await evaluate(graph)).toEqual(['ja', 'né']);
  });

  it('refuses a constant whose data does not fill its shape', () => {
    expect(() => new OnnxGraph('short').weights([2, 2], new Float32Array(3), 'w')).toThrow(
      new RangeError("constant 'w': shape [2, 2] does not fit 3 elements"),
    );
  });
});
