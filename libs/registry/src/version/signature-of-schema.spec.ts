import { tensor, tensorSchema, type JsonSchema } from '#model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signatureFor } from './signature.js';

const row = (length: number) => tensor('float32', [length], new Float32Array(length));
const object = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', properties });

describe('P3 the signature that an input description leads to', () => {
  it('sees a free axis behind a reference', () => {
    const signatureOf = signatureFor(
      {
        ...object({ frames: { $ref: '#/definitions/Frames' } }),
        definitions: { Frames: object({ x: tensorSchema('float32', [null, 80]) }) },
      },
      {},
    );
    const item = (length: number) => ({
      frames: { x: tensor('float32', [length, 80], new Float32Array(length * 80)) },
    });
    expect(signatureOf(item(1), {})).not.toBe(signatureOf(item(2), {}));
    expect(signatureOf(item(2), {})).toBe(signatureOf(item(2), {}));
  });

  it('is none where every axis is fixed', () => {
    const signatureOf = signatureFor(object({ x: tensorSchema('float32', [3]), n: { type: 'number' } }), {});
    expect(signatureOf({ x: row(3), n: 1 }, {})).toBe('');
  });

  it('can be made when a property is called tensor', () => {
    const signatureOf = signatureFor(object({ tensor: tensorSchema('float32', [null]) }), {});
    expect(signatureOf({ tensor: row(1) }, {})).not.toBe(signatureOf({ tensor: row(2) }, {}));
  });

  it('does not depend on the order in which a client names its fields', () => {
    const signatureOf = signatureFor({}, {});
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.nat({ max: 4 })), (lengths) => {
        const entries = Object.entries(lengths).map(([name, length]) => [name, row(length)] as const);
        const forward = signatureOf(Object.fromEntries(entries), {});
        expect(signatureOf(Object.fromEntries(entries.toReversed()), {})).toBe(forward);
      }),
    );
  });

  it('differs where one field has another shape', () => {
    const signatureOf = signatureFor({}, {});
    fc.assert(
      fc.property(fc.nat({ max: 9 }), fc.nat({ max: 9 }), (first, second) => {
        const [a, b] = [first, second].map((length) => signatureOf({ x: row(length), y: row(1) }, {}));
        expect(a === b).toBe(first === second);
      }),
    );
  });

  it('sees the shapes of tensors in lists', () => {
    const signatureOf = signatureFor({ type: 'array', items: tensorSchema('float32', [null]) }, {});
    expect(signatureOf([row(1)], {})).not.toBe(signatureOf([row(2)], {}));
  });

  it('tells parameters of different types and missing ones apart', () => {
    const signatureOf = signatureFor({ type: 'string' }, { matchParameters: ['k', 'mode'] });
    const all = [{ k: 1 }, { k: '1' }, { mode: 1 }, { k: [1] }, {}].map((parameters) =>
      signatureOf('', parameters),
    );
    expect(new Set(all).size).toBe(all.length);
  });
});
