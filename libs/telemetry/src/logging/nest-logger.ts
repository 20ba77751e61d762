import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Lets Nest and its modules log through pino. */
export class NestLogger implements LoggerService {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  // Nest reports every module and route that it sets up at this level, which an operator seldom wants.
  log(message: unknown, ...rest: unknown[]): void {
    this.#logger.debug(fields(rest), String(message));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#logger.debug(fields(rest), String(message));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#logger.trace(fields(rest), String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#logger.warn(fields(rest), String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.#logger.error(fields(rest, message), textOf(message));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#logger.fatal(fields(rest, message), textOf(message));
  }
}

function fields(rest: readonly unknown[], message?: unknown): object {
  const context = rest.at(-1);
  return {
    ...(typeof context === 'string' ? { context } : {}),
    ...(message instanceof Error ? { err: message } : {}),
  };
}

function textOf(message: unknown): string {
  return message instanceof Error ? message.message : String(message);
}
