import type { LoggerService } from '@nestjs/common';
import type { ModelLog } from './running-model.js';

/** Sends what a model logs through Nest to the server's own log. */
export class WorkerLogger implements LoggerService {
  readonly #log: ModelLog;

  constructor(log: ModelLog) {
    this.#log = log;
  }

  // Nest itself reports every module and provider that it sets up at this level.
  log(message: unknown, ...rest: unknown[]): void {
    this.#log('debug', String(message), contextOf(rest));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#log('debug', String(message), contextOf(rest));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#log('debug', String(message), contextOf(rest));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#log('warn', String(message), contextOf(rest));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.#log('error', String(message), contextOf(rest));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#log('error', String(message), contextOf(rest));
  }
}

/** Nest passes the name of the logger last. */
function contextOf(rest: readonly unknown[]): string | undefined {
  const last = rest.at(-1);
  return typeof last === 'string' ? last : undefined;
}
