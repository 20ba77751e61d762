import { BatchedHandler, stack, tensorSchema, unstack, type Tensor } from '#model';
import { OnnxSession } from '#onnx';
import { Injectable } from '@nestjs/common';
import { GRAPH_SHAPE } from './graph-settings.js';

/** Any ONNX graph with one input and one output. */
@Injectable()
export class OnnxGraphModel {
  constructor(private readonly session: OnnxSession) {}

  @BatchedHandler({ name: 'graph', maxBatchSize: 64, input: tensorSchema('float32', GRAPH_SHAPE) })
  async run(batch: Tensor[]): Promise<Tensor[]> {
    const [input, output] = [this.session.inputs[0]!, this.session.outputs[0]!];
    const outputs = await this.session.run({ [input.name]: stack(batch) });
    return unstack(outputs[output.name]!);
  }
}
