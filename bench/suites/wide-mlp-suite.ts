import { availableParallelism } from 'node:os';
import { wideMlp } from '../graphs/wide-mlp.js';
import { graphSuite } from './graph-suite.js';
import type { SuiteFactory } from './suite.js';

const SHAPE = [512];

/** The model that batching is made for: a batch costs little more than one item. */
export const wideMlpSuite: SuiteFactory = (bodies, folder) =>
  graphSuite({
    title: 'Wide MLP, MessagePack bodies of 512 numbers',
    folder,
    connections: [64],
    graph: wideMlp(),
    shape: SHAPE,
    body: bodies.noise('wide-mlp', SHAPE, 16),
    dtype: 'float32',
    // What a lone worker gets.
    threads: availableParallelism(),
    batchSizes: [1, 8, 16, 32, 64],
    required: { ofOff: 3 },
  });
