import { OnnxGraph, SeededNumbers } from '#onnx';

const WIDTHS = [512, 2048, 2048, 1000] as const;

/**
 * A multilayer perceptron 512–2048–2048–1000 with seeded weights, 29 MB: every run reads all weights, so a
 * batch costs little more than one item. What dynamic batching is at its best with.
 *
 * @returns the ONNX file: `x` float32 [batch, 512] to `y` float32 [batch, 1000]
 */
export function wideMlp(seed = 1): Uint8Array {
  const graph = new OnnxGraph('wide-mlp');
  const numbers = new SeededNumbers(seed);
  const last = WIDTHS.length - 2;
  let value = graph.input('x', 'float32', ['batch', WIDTHS[0]]);
  for (let layer = 0; layer <= last; layer++) {
    const inputs = WIDTHS[layer]!;
    const outputs = WIDTHS[layer + 1]!;
    const weights = graph.weights(
      [inputs, outputs],
      numbers.uniform(inputs * outputs, Math.sqrt(6 / inputs)),
    );
    const bias = graph.weights([outputs], numbers.uniform(outputs, 0.01));
    value = graph.node('Gemm', [value, weights, bias], {}, layer === last ? 'y' : undefined);
    if (layer < last) value = graph.node('Relu', [value]);
  }
  graph.output(value, 'float32', ['batch', WIDTHS[last + 1]!]);
  return graph.toBytes();
}
