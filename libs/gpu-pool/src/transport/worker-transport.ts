import type { FromWorker, ToWorker } from '../protocol/worker-messages.js';

/** How a worker ended. */
export interface WorkerExit {
  /** What ended it, where that is known: an uncaught error, a heap that ran full. */
  readonly error: Error | undefined;
  readonly exitCode: number | null;
}

/**
 * The line to one worker, whatever it is: a thread here, a process elsewhere.
 *
 * There is deliberately no way to end a worker by force: a thread inside native code takes the whole process
 * with it when it is terminated.
 */
export interface WorkerTransport {
  onMessage: (message: FromWorker) => void;
  /** Called once, however the worker ends. */
  onExit: (exit: WorkerExit) => void;
  /** Posts a message; the buffers of `transfer` change hands. Does nothing once the worker has ended. */
  post(message: ToWorker, transfer?: readonly ArrayBuffer[]): void;
}

/** Starts a worker. */
export type WorkerTransportFactory = () => WorkerTransport;
