import { Worker } from 'node:worker_threads';
import type { FromWorker, ToWorker } from '../protocol/worker-messages.js';
import type { WorkerExit } from './worker-exit.js';
import type { WorkerTransport } from './worker-transport.js';

const ENTRY = new URL('../worker/thread-main.js', import.meta.url);

/** A worker in a thread of this process. */
export class ThreadTransport implements WorkerTransport {
  onMessage: (message: FromWorker) => void = () => undefined;
  onExit: (exit: WorkerExit) => void = () => undefined;
  readonly #worker: Worker;
  #error: Error | undefined;

  constructor(readonly device: string) {
    this.#worker = new Worker(ENTRY);
    this.#worker.on('message', (message: FromWorker) => this.onMessage(message));
    this.#worker.on('messageerror', (error) => {
      this.#error = error;
    });
    this.#worker.on('error', (error) => {
      this.#error = error instanceof Error ? error : new Error(String(error));
    });
    this.#worker.on('exit', (exitCode) => this.onExit({ error: this.#error, exitCode }));
  }

  post(message: ToWorker, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}
