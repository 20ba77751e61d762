import { OnnxGraph } from '#onnx';
import type { Perceptron } from './perceptron.js';

/** Writes a trained network as ONNX: `pixels` float32 [batch, 784] to `probabilities` float32 [batch, 10]. */
export function digitsGraph(network: Perceptron): OnnxGraph {
  const { inputs, hidden, outputs } = network;
  const graph = new OnnxGraph('digits');
  const pixels = graph.input('pixels', 'float32', ['batch', inputs]);
  const hiddenWeights = graph.weights([inputs, hidden], network.hiddenWeights, 'hidden_weights');
  const hiddenBias = graph.weights([hidden], network.hiddenBias, 'hidden_bias');
  const outputWeights = graph.weights([hidden, outputs], network.outputWeights, 'output_weights');
  const outputBias = graph.weights([outputs], network.outputBias, 'output_bias');
  const activations = graph.node('Relu', [graph.node('Gemm', [pixels, hiddenWeights, hiddenBias])]);
  const logits = graph.node('Gemm', [activations, outputWeights, outputBias]);
  graph.output(graph.node('Softmax', [logits], { axis: 1 }, 'probabilities'), 'float32', ['batch', outputs]);
  return graph;
}
