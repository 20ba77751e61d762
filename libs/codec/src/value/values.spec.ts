import { tensor } from '#model';
import { describe, expect, it } from 'vitest';
import { JsonCodec } from '../json-codec.js';
import { MessagePackCodec } from '../message-pack-codec.js';

const json = new JsonCodec();
const messagePack = new MessagePackCodec();

describe('answers in JSON', () => {
  it('writes typed arrays as numbers and tensors with dtype and shape', () => {
    const value = { row: Float64Array.of(1, 0.5), picture: tensor('uint8', [1, 2], Uint8Array.of(3, 4)) };
    expect(json.encode(value)).toBe('{"row":[1,0.5],"picture":{"dtype":"uint8","shape":[1,2],"data":[3,4]}}');
  });

  it('BC-098 writes 64-bit integers exactly', () => {
    expect(json.encode(BigInt64Array.of(5n, 2n ** 53n))).toBe('[5,"9007199254740992"]');
    expect(json.encode({ id: 2n ** 63n })).toBe('{"id":"9223372036854775808"}');
  });

  it.each([NaN, Infinity, -Infinity])('BC-097 refuses %d wherever it stands', (bad) => {
    for (const value of [bad, [1, bad], { deep: [{ x: bad }] }, Float32Array.of(bad)]) {
      expect(() => json.encode(value)).toThrow(expect.objectContaining({ code: 'non_finite_output' }));
    }
  });

  it('BC-097 writes negative zero and null as they are', () => {
    expect(json.encode([null, 0])).toBe('[null,0]');
  });

  it('refuses a Map, which JSON would write as {}', () => {
    expect(() => json.encode({ counts: new Map() })).toThrow(
      expect.objectContaining({ code: 'contract_violation' }),
    );
  });

  it('does not copy what needs no change', () => {
    const value = { a: [1, 2], b: 'x' };
    json.encode(value);
    expect(value).toEqual({ a: [1, 2], b: 'x' });
  });

  it('BC-103 keeps every kind of text', () => {
    const text = 'é e\u0301 🙂 \u0000 漢字 \ud83d';
    expect(json.decode(Buffer.from(json.encode(text)))).toBe(text);
  });
});

describe('answers in MessagePack', () => {
  it('carries NaN and infinities, and tensors as bytes', () => {
    const value = { x: NaN, y: -Infinity, t: tensor('float32', [2], Float32Array.of(1, 2)) };
    expect(messagePack.decode(messagePack.encode(value))).toEqual({
      x: NaN,
      y: -Infinity,
      t: { dtype: 'float32', shape: [2], data: Buffer.from(Float32Array.of(1, 2).buffer) },
    });
  });

  it('says the dtype of a bare typed array', () => {
    expect(messagePack.decode(messagePack.encode(Int16Array.of(7)))).toMatchObject({
      dtype: 'int16',
      shape: [1],
    });
  });
});

describe('bodies that cannot be read', () => {
  it.each(['', '{"data":', 'text'])('%j is no JSON', (body) => {
    expect(() => json.decode(Buffer.from(body))).toThrow(
      expect.objectContaining({ code: 'unreadable_body' }),
    );
  });

  it.each([[[]], [[0xdc]], [[0xdf, 0xff, 0xff, 0xff, 0xff]]])('%j is no MessagePack', (bytes) => {
    expect(() => messagePack.decode(Buffer.from(bytes))).toThrow(
      expect.objectContaining({ code: 'unreadable_body' }),
    );
  });
});
