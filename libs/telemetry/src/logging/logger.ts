import { pino, stdSerializers, type Logger, type LoggerOptions } from 'pino';

/** Injects the server's pino logger. */
export const LOGGER = Symbol('LOGGER');

/** Levels that `LOG_LEVEL` may have, from quiet to loud. */
export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** @see LOG_LEVELS */
export type LogLevelName = (typeof LOG_LEVELS)[number];

/** Headers that hold secrets, wherever a request finds its way into a line. */
const SECRETS = ['authorization', 'cookie', '["x-api-key"]'].flatMap((header) => {
  const member = header.startsWith('[') ? header : `.${header}`;
  return [`headers${member}`, `*.headers${member}`, `*.*.headers${member}`];
});

/** How the server logs: one JSON line an event. */
export function loggerOptions(level: LogLevelName): LoggerOptions {
  return { level, base: null, serializers: { err: stdSerializers.err }, redact: SECRETS };
}

/** Makes the server's logger, which writes to standard output. */
export function createLogger(level: LogLevelName): Logger {
  return pino(loggerOptions(level));
}
