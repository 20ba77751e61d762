import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createLogger, LOG_LEVELS } from './logger.js';
import { NestLogger } from './nest-logger.js';

function createNestLogger() {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  const formatters = { level: (level: string) => ({ level }) };
  const logger = pino({ level: 'trace', base: null, timestamp: false, formatters }, stream);
  return { logger: new NestLogger(logger), lines };
}

describe('what Nest logs', () => {
  it.each([
    ['log', 'debug'],
    ['debug', 'debug'],
    ['verbose', 'trace'],
    ['warn', 'warn'],
    ['error', 'error'],
    ['fatal', 'fatal'],
  ] as const)('as %s is a line of level %s, with its context', (method, level) => {
    const { logger, lines } = createNestLogger();
    logger[method]('happened', 'Router');
    expect(lines).toEqual([{ level, msg: 'happened', context: 'Router' }]);
  });

  it('keeps the error that it is about, with its stack', () => {
    const { logger, lines } = createNestLogger();
    logger.error(new TypeError('broken'), 'Router');
    expect(lines).toMatchObject([
      {
        level: 'error',
        msg: 'broken',
        context: 'Router',
        err: { type: 'TypeError', message: 'broken', stack: expect.stringContaining('spec') as string },
      },
    ]);
  });

  it('needs no context, and any value will do as the message', () => {
    const { logger, lines } = createNestLogger();
    logger.warn({ toString: () => 'an object' });
    logger.log(undefined, { not: 'a context' });
    expect(lines).toEqual([
      { level: 'warn', msg: 'an object' },
      { level: 'debug', msg: 'undefined' },
    ]);
  });
});

describe('the logger of the server', () => {
  it.each(LOG_LEVELS)('may have the level %s', (level) => {
    expect(createLogger(level).level).toBe(level);
  });
});
