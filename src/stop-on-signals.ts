import type { INestApplication } from '@nestjs/common';
import type { Logger } from 'pino';

/** Time beyond the drain for workers to finish their batch and close their model, in milliseconds. */
const WORKER_STOP_MS = 10_000;

/**
 * Ends the process on SIGTERM and SIGINT: readiness goes down, new requests are refused, admitted ones
 * answered, workers stopped; exit code 0. A second signal ends it at once.
 */
export function stopOnSignals(app: INestApplication, logger: Logger, drainTimeoutMs: number): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) {
      logger.warn({ signal }, 'second signal: stopping without waiting');
      killSelf();
    }
    stopping = true;
    logger.info({ signal }, 'stopping: new requests are refused, admitted ones are answered');
    setTimeout(() => {
      logger.error('a worker did not stop in time');
      killSelf();
    }, drainTimeoutMs + WORKER_STOP_MS).unref();
    app.close().then(
      () => {
        logger.info('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        killSelf();
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** process.exit() while a worker is inside native code aborts the process and dumps its memory; a kill does not. */
function killSelf(): void {
  process.kill(process.pid, 'SIGKILL');
}
