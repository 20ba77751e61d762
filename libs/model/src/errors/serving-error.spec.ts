import { describe, expect, it, vi } from 'vitest';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';
import { isServingError, ServingError } from './serving-error.js';

describe('an error for a client', () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('%s has its status and a title', (code) => {
    const { status, title } = ERROR_CODES[code];
    expect(new ServingError(code, 'why').status).toBe(status);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(title).toMatch(/^[A-Z].*[^.]$/);
  });

  it.each<[ErrorCode, number]>([
    ['invalid_input', 422],
    ['queue_full', 429],
    ['handler_failed', 500],
    ['contract_violation', 502],
    ['no_worker', 503],
    ['deadline_exceeded', 504],
  ])('%s is answered with %d', (code, status) => {
    expect(new ServingError(code, '').status).toBe(status);
  });

  it('carries its details, its cause and a stack', () => {
    const cause = new Error('disk');
    const faults = [{ field: '/data', message: 'is required' }];
    const error = new ServingError('invalid_input', 'no', { retryAfterSeconds: 2, faults, cause });
    expect(error).toMatchObject({ name: 'ServingError', message: 'no', retryAfterSeconds: 2, faults, cause });
    expect(error).toBeInstanceOf(Error);
    expect(error.stack).toContain('serving-error.spec');
    expect('cause' in new ServingError('internal', 'no')).toBe(false);
  });

  it('is recognised by another copy of this package, and the other way round', async () => {
    vi.resetModules();
    const copy = await import('./serving-error.js');
    const foreign = new copy.ServingError('cancelled', 'gone');
    expect(foreign).not.toBeInstanceOf(ServingError);
    expect(isServingError(foreign)).toBe(true);
    expect(copy.isServingError(new ServingError('cancelled', 'gone'))).toBe(true);
  });

  it.each([
    new Error('plain'),
    { name: 'ServingError', code: 'internal', status: 500 },
    'internal',
    null,
    undefined,
  ])('is not %s', (value) => {
    expect(isServingError(value)).toBe(false);
  });
});
