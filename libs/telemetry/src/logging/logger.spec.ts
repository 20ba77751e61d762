import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { loggerOptions } from './logger.js';

describe('a line of the log', () => {
  it('holds no secret of a request that found its way into it', () => {
    const lines: string[] = [];
    const logger = pino(loggerOptions('info'), { write: (line: string) => lines.push(line) });
    const headers = {
      authorization: 'Bearer s3cret',
      'x-api-key': 's3cret',
      cookie: 's3cret',
      host: 'localhost',
    };
    const error = Object.assign(new Error('it failed'), { request: { headers } });
    logger.info({ headers }, 'as such');
    logger.info({ request: { headers } }, 'in a request');
    logger.error({ err: error }, 'in an error');
    expect(lines).toHaveLength(3);
    expect(lines.join('')).not.toContain('s3cret');
    expect(lines.every((line) => line.includes('localhost'))).toBe(true);
  });
});
