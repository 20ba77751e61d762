import { MODEL_INFO, type ModelInfo } from '#model';
import { OnnxModule } from '#onnx';
import { Module, type DynamicModule } from '@nestjs/common';
import { GRAPH, GRAPH_THREADS } from './graph-settings.js';
import { OnnxGraphModel } from './onnx-graph.model.js';

const graph = OnnxModule.forFile(GRAPH);
const threads: Pick<ModelInfo, 'intraOpThreads'> = { intraOpThreads: Number(GRAPH_THREADS) };
/** With a number of threads of its own: a module's own provider comes before the worker's. */
const limited: DynamicModule = {
  ...graph,
  providers: [...(graph.providers ?? []), { provide: MODEL_INFO, useValue: threads }],
};

/** Serves the graph that `GRAPH` names. */
@Module({ imports: [GRAPH_THREADS ? limited : graph], providers: [OnnxGraphModel] })
export class OnnxGraphModule {}
