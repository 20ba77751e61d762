import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DirectLoopParticipant } from '../participants/direct-loop-participant.js';
import { HttpParticipant } from '../participants/http-participant.js';
import type { Body } from '../load/body-files.js';
import type { Comparison } from '../report/comparison.js';
import { directLoop } from '../servers/direct-loop-process.js';
import { ourServer } from '../servers/our-server.js';
import type { Suite } from './suite.js';

/** A suite on a graph that is made for it. */
export interface GraphSuiteOptions {
  readonly title: string;
  /** For files that are gone with the run. */
  readonly folder: string;
  readonly connections: readonly number[];
  readonly graph: Uint8Array;
  /** Axis lengths of one item. */
  readonly shape: readonly number[];
  readonly body: Body;
  /** Element type of the bodies. */
  readonly dtype: 'float32' | 'uint8';
  /** CPU threads of one run, in the server's one worker and in the direct loop. */
  readonly threads: number;
  /** Batch sizes of the direct loop. */
  readonly batchSizes: readonly number[];
  /** The least that batching on must reach, as a share of batching off and of the direct loop. */
  readonly required: { readonly ofOff?: number; readonly ofDirect?: number };
}

const DIRECT = 'direct loop';
const ON = 'batching on';
const OFF = 'batching off';

/** One graph: batching on beside batching off and a direct loop with as many threads. */
export function graphSuite(options: GraphSuiteOptions): Suite {
  const { title, folder, connections, graph, shape, body, dtype, threads, batchSizes, required } = options;
  const file = join(folder, `${shape.join('x')}.onnx`);
  writeFileSync(file, graph);
  const environment = {
    GRAPH: file,
    GRAPH_SHAPE: shape.join(','),
    GRAPH_THREADS: String(threads),
    GRAPH_DTYPE: dtype,
  };
  const model = { name: 'graph', module: 'dist/bench/models/onnx-graph.module.js' };
  const on = ourServer(folder, { ...model, batching: true }, environment);
  const off = ourServer(folder, { ...model, batching: false }, environment);
  const direct = directLoop({ file, threads });
  const call = { path: '/models/graph/predict', body, model: 'graph' };
  return {
    title,
    connections,
    servers: [on, off, direct],
    participants: [
      new HttpParticipant(ON, on, call),
      new DirectLoopParticipant(DIRECT, direct, batchSizes),
      new HttpParticipant(OFF, off, call),
    ],
    comparisons: [
      { of: ON, to: [OFF], ...least(required.ofOff) },
      { of: ON, to: [DIRECT], ...least(required.ofDirect) },
    ],
  };
}

function least(atLeast: number | undefined): Pick<Comparison, 'required'> {
  return atLeast === undefined ? {} : { required: { atLeast } };
}
