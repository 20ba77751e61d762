import 'reflect-metadata';
import { parentPort } from 'node:worker_threads';
import type { FromWorker, ToWorker } from '../protocol/worker-messages.js';
import { ModelWorker } from './model-worker.js';

/** The first file of a worker thread. */

/** Time that a thread has to end by itself once its model is closed, in milliseconds. */
const PATIENCE_MS = 1000;

const port = parentPort!;
// Safe here: while this runs, the thread is inside no native code.
const quit = () => process.exit(0);
const worker = new ModelWorker({
  post: (message: FromWorker, transfer: readonly ArrayBuffer[] = []) => port.postMessage(message, transfer),
  // The thread ends by itself once its port is closed, unless the model has forgotten a timer.
  close: () => {
    port.close();
    setTimeout(quit, PATIENCE_MS).unref();
  },
  quit,
  memoryBytes: () => {
    const { heapTotal, external } = process.memoryUsage();
    return heapTotal + external;
  },
});
port.on('message', (message: ToWorker) => worker.receive(message));
