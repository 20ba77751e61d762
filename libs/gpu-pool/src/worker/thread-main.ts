import 'reflect-metadata';
import { parentPort } from 'node:worker_threads';
import type { FromWorker, ToWorker } from '../protocol/worker-messages.js';
import { ModelWorker } from './model-worker.js';

/** The first file of a worker thread. */
const port = parentPort!;
const worker = new ModelWorker({
  post: (message: FromWorker, transfer: readonly ArrayBuffer[] = []) => port.postMessage(message, transfer),
  // The thread ends by itself once its port is closed and nothing else is left to do.
  close: () => port.close(),
});
port.on('message', (message: ToWorker) => worker.receive(message));
