import type { WorkerIsolation } from '#model';
import type { FromWorker, ToWorker } from '../protocol/worker-messages.js';
import type { WorkerExit } from './worker-exit.js';

/** What a worker is wanted for. */
export interface WorkerPlace {
  /** By the server's name: `cpu`, `cuda:0`, … */
  readonly device: string;
  readonly isolation: WorkerIsolation;
}

/** The line to one worker, whatever it is: a thread here, a process elsewhere. */
export interface WorkerTransport {
  /** Its device by the name that the worker itself knows it by. */
  readonly device: string;
  onMessage: (message: FromWorker) => void;
  /** Called once, however the worker ends, and after its last message. */
  onExit: (exit: WorkerExit) => void;
  /**
   * Posts a message; the buffers of `transfer` change hands. Does nothing once the worker has ended.
   *
   * @throws {Error} when a value in the message cannot be sent, such as a function
   */
  post(message: ToWorker, transfer?: readonly ArrayBuffer[]): void;
  /**
   * Ends the worker by force, whatever it does. Only a process can be ended so: a thread inside native code takes the
   * whole server with it when it is terminated.
   */
  kill?(): void;
}

/** Starts a worker. */
export type WorkerTransportFactory = (place: WorkerPlace) => WorkerTransport;
