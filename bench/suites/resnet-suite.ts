import { resNet18 } from '../graphs/resnet-18.js';
import { graphSuite } from './graph-suite.js';
import type { SuiteFactory } from './suite.js';

const SHAPE = [3, 224, 224];

/** The model that batching gains nothing with: the server must only not cost anything. */
export const resNetSuite: SuiteFactory = (bodies, folder) =>
  graphSuite({
    title: 'ResNet-18, pictures of 147 KB as MessagePack, one thread',
    folder,
    connections: [8, 16],
    graph: resNet18(),
    shape: SHAPE,
    body: bodies.pictures('resnet-18', SHAPE, 4),
    dtype: 'uint8',
    // The other core is left to the HTTP thread and the load generator.
    threads: 1,
    batchSizes: [1, 8],
    required: { ofOff: 0.95, ofDirect: 0.95 },
  });
