import { ServerProcess } from './server-process.js';

/** The model of a direct loop. */
export interface DirectLoopGraph {
  readonly file: string;
  /** CPU threads of one run. */
  readonly threads: number;
}

/** A process that runs an ONNX file when it is asked to. It serves nothing: messages sent to it wait for it. */
export function directLoop({ file, threads }: DirectLoopGraph): ServerProcess {
  const environment = { GRAPH: file, GRAPH_THREADS: String(threads) };
  return new ServerProcess('dist/bench/direct-loop.js', environment, () => Promise.resolve(true));
}
