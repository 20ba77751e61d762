import { BatchedHandler, stack, tensor, tensorSchema, unstack, type Tensor } from '#model';
import { OnnxSession } from '#onnx';
import { Injectable } from '@nestjs/common';
import { GRAPH_DTYPE, GRAPH_SHAPE } from './graph-settings.js';

/** Any ONNX graph with one input and one output. */
@Injectable()
export class OnnxGraphModel {
  constructor(private readonly session: OnnxSession) {}

  @BatchedHandler({ name: 'graph', maxBatchSize: 64, input: tensorSchema(GRAPH_DTYPE, GRAPH_SHAPE) })
  async run(batch: Tensor[]): Promise<Tensor[]> {
    const [input, output] = [this.session.inputs[0]!, this.session.outputs[0]!];
    const outputs = await this.session.run({ [input.name]: asFloats(stack(batch)) });
    return unstack(outputs[output.name]!);
  }
}

/** Pictures travel as bytes, a quarter of their size as numbers from 0 to 1. */
function asFloats(stacked: Tensor): Tensor {
  if (!(stacked.data instanceof Uint8Array)) return stacked;
  const numbers = new Float32Array(stacked.data.length);
  for (let index = 0; index < numbers.length; index++) numbers[index] = stacked.data[index]! / 255;
  return tensor('float32', stacked.shape, numbers);
}
