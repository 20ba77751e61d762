import { tensor, tensorSchema } from '#model';
import { describe, expect, it } from 'vitest';
import { signatureFor } from './signature.js';

const row = (length: number) => tensor('float32', [length], new Float32Array(length));

describe('which items may share a batch', () => {
  it('all, where the description leaves nothing open', () => {
    const signatureOf = signatureFor(tensorSchema('float32', [4]), {});
    expect(signatureOf(row(4), {})).toBe(signatureOf(row(4), {}));
    expect(signatureFor({ type: 'string' }, {})('any', {})).toBe('');
  });

  it('those of one shape and dtype, where an axis is free', () => {
    const signatureOf = signatureFor(
      { type: 'object', properties: { x: tensorSchema('float32', [null]) } },
      {},
    );
    expect(signatureOf({ x: row(3) }, {})).not.toBe(signatureOf({ x: row(4) }, {}));
    expect(signatureOf({ x: row(3) }, {})).toBe(signatureOf({ x: row(3) }, {}));
    expect(signatureOf({ x: row(3) }, {})).not.toBe(
      signatureOf({ x: tensor('int8', [3], new Int8Array(3)) }, {}),
    );
  });

  it('those of one bucket, where the model has length buckets', () => {
    const signatureOf = signatureFor({ type: 'string' }, { lengthBuckets: [4, 8] });
    expect(signatureOf('abc', {})).toBe(signatureOf('abcd', {}));
    expect(signatureOf('abcd', {})).not.toBe(signatureOf('abcde', {}));
    expect(signatureOf('a'.repeat(9), {})).toBe(signatureOf('a'.repeat(900), {}));
  });

  it('BC-028 those with equal parameters, where the model says which must match', () => {
    const signatureOf = signatureFor({ type: 'string' }, { matchParameters: ['language'] });
    const english = { language: 'en', other: 1 };
    expect(signatureOf('a', english)).toBe(signatureOf('b', { language: 'en', other: 2 }));
    expect(signatureOf('a', english)).not.toBe(signatureOf('a', { language: 'de' }));
    expect(signatureOf('a', {})).not.toBe(signatureOf('a', english));
  });
});
