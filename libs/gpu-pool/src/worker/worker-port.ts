import type { FromWorker } from '../protocol/worker-messages.js';

/** The worker's end of the line to its pool. */
export interface WorkerPort {
  post(message: FromWorker, transfer?: readonly ArrayBuffer[]): void;
  /** Ends the line. No message comes or goes after it. */
  close(): void;
  /** Ends the worker at once, whatever its model waits for. */
  quit(): void;
  /** What the worker's memory holds now, in bytes. */
  memoryBytes(): number;
}
