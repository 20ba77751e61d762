import { describe, expect, it } from 'vitest';
import { WorkerLogger } from './worker-logger.js';

describe('what a model logs through Nest', () => {
  it.each([
    ['log', 'debug'],
    ['debug', 'debug'],
    ['verbose', 'debug'],
    ['warn', 'warn'],
    ['error', 'error'],
    ['fatal', 'error'],
  ] as const)('as %s reaches the server as %s', (method, level) => {
    const lines: unknown[][] = [];
    const logger = new WorkerLogger((...line) => lines.push(line));
    logger[method]('message', 'Context');
    logger[method]({ toString: () => 'made text' }, { no: 'context' });
    expect(lines).toEqual([
      [level, 'message', 'Context'],
      [level, 'made text', undefined],
    ]);
  });

  it('names its logger, not the stack that Nest passes before it', () => {
    const lines: unknown[][] = [];
    new WorkerLogger((...line) => lines.push(line)).error('broken', 'Error: broken\n  at x', 'Model');
    expect(lines).toEqual([['error', 'broken', 'Model']]);
  });
});
