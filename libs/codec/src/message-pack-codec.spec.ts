import { DATA_TYPES, tensor, type NumericDataType } from '#model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessagePackCodec } from './message-pack-codec.js';

const messagePack = new MessagePackCodec();
const read = (...bytes: number[]) => messagePack.decode(Buffer.from(bytes));
const unreadable = expect.objectContaining({ code: 'unreadable_body', status: 400 }) as Error;

describe('MessagePack bodies', () => {
  it('are read as what was written', () => {
    const json = fc.jsonValue({ noUnicodeString: false });
    fc.assert(
      fc.property(json, (value) => {
        // The library renames this one key, so that no body reaches a prototype.
        fc.pre(!JSON.stringify(value).includes('"__proto__"'));
        expect(messagePack.decode(messagePack.encode(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each(Object.keys(DATA_TYPES) as NumericDataType[])('carry a %s tensor as its bytes', (dtype) => {
    const { array: ArrayType, bytes } = DATA_TYPES[dtype];
    const raw = Uint8Array.from({ length: 3 * bytes }, (_, index) => index + 1);
    const value = tensor(dtype, [3], new ArrayType(raw.buffer) as never);
    expect(messagePack.decode(messagePack.encode(value))).toEqual({
      dtype,
      shape: [3],
      data: Buffer.from(raw),
    });
  });

  it('carry only the part of a buffer that a tensor is', () => {
    const part = Int16Array.of(1, 2, 3, 4).subarray(1, 3);
    expect(messagePack.decode(messagePack.encode(part))).toEqual({
      dtype: 'int16',
      shape: [2],
      data: Buffer.from([2, 0, 3, 0]),
    });
  });

  it.each(['é e\u0301', '🙂 at the end of 31 bytes of tex🙂', '\u0000', '漢'.repeat(100)])(
    'BC-103 keep the text %j',
    (text) => {
      expect(messagePack.decode(messagePack.encode({ [text]: [text] }))).toEqual({ [text]: [text] });
    },
  );

  it('BC-097 keep NaN and infinities', () => {
    const value = [NaN, Infinity, -Infinity];
    expect(messagePack.decode(messagePack.encode(value))).toEqual(value);
  });

  it.each([
    ['an unsigned integer of 8 bytes', [0xcf, 0, 0, 0, 0, 0, 0, 0, 5]],
    ['an integer of 8 bytes', [0xd3, 0, 0, 0, 0, 0, 0, 0, 5]],
    ['an integer of 4 bytes', [0xd2, 0, 0, 0, 5]],
    ['a float', [0xcb, 0x40, 0x14, 0, 0, 0, 0, 0, 0]],
  ])('read 5 as the number 5, written as %s: many encoders know one width only', (_, bytes) => {
    expect(read(...bytes)).toBe(5);
  });

  it('BC-098 keep integers that a number cannot hold', () => {
    const large = [2n ** 63n, -(2n ** 62n)];
    expect(messagePack.decode(messagePack.encode(large))).toEqual(large);
  });
});

describe('MessagePack bodies that cannot be read', () => {
  it.each([
    ['an error', [0xd4, 0x65, 0x00, 0x93, 0xa5, ...Buffer.from('Error'), 0xa1, 0x78, 0xc0]],
    ['a set', [0xd4, 0x73, 0x00, 0x91, 0x01]],
    ['a regular expression', [0xd4, 0x78, 0x00, 0x92, 0xa1, 0x61, 0xa0]],
    ['an unknown extension', [0xd4, 0x05, 0x00]],
  ])('hold %s: extensions make values that no JSON body can', (_, bytes) => {
    expect(() => read(...bytes)).toThrow(unreadable);
  });

  it('hold the byte that MessagePack never uses', () => {
    expect(() => read(0x91, 0xc1)).toThrow(unreadable);
  });

  it('BC-103 hold text that is not UTF-8', () => {
    expect(() => read(0xa2, 0xff, 0xfe)).toThrow(unreadable);
  });

  it('go on behind their value', () => {
    expect(() => read(0x01, 0x02)).toThrow(unreadable);
  });

  it('BC-100 are nested so deep that reading them would end the stack', () => {
    expect(() => messagePack.decode(Buffer.alloc(1_000_000, 0x91))).toThrow(unreadable);
  });

  it('say that they are empty', () => {
    expect(() => read()).toThrow('the body is not MessagePack: it is empty');
  });
});

describe('results that MessagePack cannot carry', () => {
  it.each([
    ['a Map', new Map([['a', 1]])],
    ['a Set', new Set([1])],
    ['an integer beyond 64 bits', 2n ** 70n],
  ])('are refused and not changed: %s', (_, value) => {
    expect(() => messagePack.encode({ counts: value })).toThrow(
      expect.objectContaining({ code: 'contract_violation' }),
    );
  });

  it('are not dates, which come as in JSON', () => {
    const at = new Date(0);
    expect(messagePack.decode(messagePack.encode({ at }))).toEqual({ at: at.toISOString() });
  });
});
