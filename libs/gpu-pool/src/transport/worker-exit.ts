import { ServingError } from '#model';

/** How a worker ended. */
export interface WorkerExit {
  /** What ended it, where that is known: an uncaught error, a heap that ran full. */
  readonly error: Error | undefined;
  readonly exitCode: number | null;
  /** The signal that ended its process. */
  readonly signal?: NodeJS.Signals | null;
}

/** Why a worker ended, in a few words. */
export function describeExit({ error, exitCode, signal }: WorkerExit): string {
  if (error !== undefined) return error.message;
  return signal ? `ended by ${signal}` : `exit code ${exitCode}`;
}

/** What the clients of a batch are told whose worker has died. */
export function workerDied(exit: WorkerExit): ServingError {
  return new ServingError('worker_died', 'the worker that ran this request died', {
    retryAfterSeconds: 1,
    cause: exit.error ?? new Error(describeExit(exit)),
  });
}
