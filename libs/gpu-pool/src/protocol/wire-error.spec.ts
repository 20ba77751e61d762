import { ERROR_CODES, isServingError, ServingError, type ErrorCode } from '#model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromWire, toWire } from './wire-error.js';

/** As it arrives on the other side of a thread. */
const cross = (error: unknown) => fromWire(structuredClone(toWire(error)));

const faults = fc.array(fc.record({ field: fc.string(), message: fc.string() }), { maxLength: 3 });

describe('an error on its way between threads', () => {
  it('keeps all that a client is told, and its causes', () => {
    const codes = fc.constantFrom(...(Object.keys(ERROR_CODES) as ErrorCode[]));
    const seconds = fc.option(fc.nat(), { nil: undefined });
    const someFaults = fc.option(faults, { nil: undefined });
    fc.assert(
      fc.property(codes, fc.string(), seconds, someFaults, (code, message, retryAfterSeconds, given) => {
        const sent = new ServingError(code, message, {
          cause: new TypeError('below'),
          ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
          ...(given === undefined ? {} : { faults: given }),
        });
        const got = cross(sent) as ServingError;
        expect(isServingError(got)).toBe(true);
        expect(got).toMatchObject({ code, message, status: sent.status, stack: sent.stack });
        expect([got.retryAfterSeconds, got.faults]).toEqual([retryAfterSeconds, given]);
        expect(got.cause).toMatchObject({ name: 'TypeError', message: 'below' });
      }),
    );
  });

  it('keeps the name and the stack of an error that has no code', () => {
    const sent = Object.assign(new RangeError('too far'), { secret: () => 'not cloneable' });
    const got = cross(sent);
    expect(got).toMatchObject({ name: 'RangeError', message: 'too far', stack: sent.stack });
    expect(isServingError(got)).toBe(false);
    expect('secret' in got).toBe(false);
  });

  it('does without a stack', () => {
    const sent = new Error('bare');
    delete sent.stack;
    expect(toWire(sent)).toEqual({ name: 'Error', message: 'bare' });
  });

  it.each([
    ['a text', 'no', 'no'],
    ['a number', 404, '404'],
    ['nothing', undefined, 'undefined'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['an object', { message: 'x' }, '[object Object]'],
  ])('is made of %s that was thrown', (_, thrown, message) => {
    expect(cross(thrown)).toMatchObject({ name: 'Error', message });
  });

  it.each([
    ['has no prototype', Object.create(null)],
    [
      'cannot be written as text',
      {
        toString() {
          throw new Error('not even this');
        },
      },
    ],
  ])('is made of a thrown value that %s', (_, thrown) => {
    expect(cross(thrown)).toBeInstanceOf(Error);
  });

  it('ends a circle of causes', () => {
    const first = new Error('first');
    first.cause = new Error('second', { cause: first });
    const messages: string[] = [];
    for (let error = cross(first); ; error = error.cause) {
      messages.push(error.message);
      if (!(error.cause instanceof Error)) break;
    }
    expect(messages.slice(0, 3)).toEqual(['first', 'second', 'first']);
    expect(messages.length).toBeLessThan(20);
  });
});
