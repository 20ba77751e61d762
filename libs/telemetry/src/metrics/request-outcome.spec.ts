import { ERROR_CODES, type ErrorCode } from '#model';
import { describe, expect, it } from 'vitest';
import { outcomeOf } from './request-outcome.js';

describe('how a request ended that was answered with an error', () => {
  it.each<[ErrorCode, string]>([
    ['handler_failed', 'failed'],
    ['contract_violation', 'failed'],
    ['non_finite_output', 'failed'],
    ['internal', 'failed'],
    ['deadline_exceeded', 'expired'],
    ['cancelled', 'cancelled'],
    ['slow_reader', 'cancelled'],
    ['queue_full', 'rejected'],
    ['breaker_open', 'rejected'],
    ['draining', 'rejected'],
    ['invalid_input', 'rejected'],
    ['model_not_found', 'rejected'],
  ])('%s: %s', (code, outcome) => {
    expect(outcomeOf(code)).toBe(outcome);
  });

  it('is never counted as good, and an error of the server never as refused before it ran', () => {
    for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
      expect(['failed', 'rejected', 'cancelled', 'expired']).toContain(outcomeOf(code));
      const { status } = ERROR_CODES[code];
      if (status === 500 || status === 502) expect(outcomeOf(code)).toBe('failed');
    }
  });
});
