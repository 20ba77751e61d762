import { pino, stdSerializers, type Logger } from 'pino';

/** Injects the server's pino logger. */
export const LOGGER = Symbol('LOGGER');

/** Levels that `LOG_LEVEL` may have, from quiet to loud. */
export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** @see LOG_LEVELS */
export type LogLevelName = (typeof LOG_LEVELS)[number];

/** Makes the server's logger: one JSON line an event, on standard output. */
export function createLogger(level: LogLevelName): Logger {
  return pino({ level, base: null, serializers: { err: stdSerializers.err } });
}
