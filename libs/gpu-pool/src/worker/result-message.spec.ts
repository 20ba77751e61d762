import { ServingError, tensor } from '#model';
import { describe, expect, it } from 'vitest';
import { toResultMessage, toStepMessage, withoutUnsendable } from './result-message.js';

describe('the answer to a batch', () => {
  it('has a place for each item, errors beside their empty ones', () => {
    const message = toResultMessage(4, ['a', new ServingError('invalid_input', 'no'), 0, new Error('plain')]);
    expect(message).toMatchObject({
      type: 'result',
      batch: 4,
      values: ['a', null, 0, null],
      errors: [
        { index: 1, error: { code: 'invalid_input', message: 'no' } },
        { index: 3, error: { name: 'Error', message: 'plain' } },
      ],
    });
  });

  it('numbers the sequences of a step, and says whether it was the last', () => {
    const entries = [
      { sequence: 5, value: 'token' },
      { sequence: 2, value: null },
      { sequence: 9, value: new Error('bad') },
    ];
    expect(toStepMessage(1, { entries, done: true })).toMatchObject({
      type: 'step',
      sequences: [5, 2, 9],
      values: ['token', null, null],
      errors: [{ index: 2 }],
      done: true,
    });
  });
});

describe('an answer in which some results cannot be sent', () => {
  const circle: unknown[] = [];
  circle.push(circle);

  it.each([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a list with a function in it', [1, [() => 1]]],
    ['a promise', Promise.resolve(1)],
    ['a list that holds itself', circle],
  ])('fails the item alone whose result is %s', (_, bad) => {
    const good = tensor('float32', [1], Float32Array.of(1));
    const message = withoutUnsendable(toResultMessage(1, [good, bad, new Error('own'), null]));
    expect(message.values).toEqual([good, null, null, null]);
    expect(new Set(message.errors.map(({ index }) => index))).toEqual(new Set([1, 2]));
    expect(message.errors.find(({ index }) => index === 1)!.error).toMatchObject({
      code: 'contract_violation',
      message: expect.stringContaining('the result cannot be sent') as string,
    });
    expect(message.errors.find(({ index }) => index === 2)!.error.message).toBe('own');
    expect(() => structuredClone(message)).not.toThrow();
  });

  it('leaves everything else of a step as it was', () => {
    const step = toStepMessage(3, { entries: [{ sequence: 8, value: () => 1 }], done: false });
    expect(withoutUnsendable(step)).toMatchObject({ type: 'step', batch: 3, sequences: [8], done: false });
  });
});
