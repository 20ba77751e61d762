import { tensor } from '#model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonCodec } from './json-codec.js';

const json = new JsonCodec();
const read = (text: string) => json.decode(Buffer.from(text));

describe('JSON bodies', () => {
  it('are read as what was written', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(read(json.encode(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each([9e-7, 1_111_111.5, 0.1, 1e21, 5e-324, 0.96, Number.MAX_VALUE])(
    'BC-098 keep %d exactly',
    (value) => {
      expect(read(json.encode({ nested: [value] }))).toEqual({ nested: [value] });
      expect(read(json.encode(Float64Array.of(value)))).toEqual([value]);
    },
  );

  it.each([
    [0.1, '0.1'],
    [0.96, '0.96'],
    [9e-7, '9e-7'],
    [16_777_216, '16777216'],
  ])('BC-098 write the float32 nearest to %d as %s, the shortest text that is read as it', (value, text) => {
    expect(json.encode(Float32Array.of(value))).toBe(`[${text}]`);
  });

  it('BC-098 give every float32 back', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const [read32] = Float32Array.from(read(json.encode(Float32Array.of(value))) as number[]);
        expect(read32! + 0).toBe(value + 0);
      }),
    );
  });

  it('BC-037 write a bool tensor as what is read as one', () => {
    const flags = tensor('bool', [2], Uint8Array.of(1, 0));
    expect(read(json.encode(flags))).toEqual({ dtype: 'bool', shape: [2], data: [true, false] });
  });

  it('BC-037 give the numbers of a float16, not its bits', () => {
    const halves = tensor('float16', [3], Uint16Array.of(0x3c00, 0xb800, 0x3555));
    expect(read(json.encode(halves))).toEqual({ dtype: 'float16', shape: [3], data: [1, -0.5, 0.33325195] });
  });

  it.each(['BC-103 ünï', '🙂', '\u0000', 'e\u0301', '\u2028'])('keep the text %j', (text) => {
    expect(read(json.encode({ [text]: text }))).toEqual({ [text]: text });
  });

  it.each([
    ['half a character', [0x22, 0xf0, 0x9f, 0x22]],
    ['a byte that UTF-8 has not', [0x22, 0xff, 0x22]],
    ['a lone surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ])('BC-103 with %s cannot be read', (_, bytes) => {
    expect(() => json.decode(Buffer.from(bytes))).toThrow(
      expect.objectContaining({
        code: 'unreadable_body',
        message: expect.stringContaining('UTF-8') as string,
      }),
    );
  });

  it('say that they are empty', () => {
    expect(() => read('')).toThrow('the body is not JSON: it is empty');
  });

  it('write the dates of a result in ISO form, and change nothing of it', () => {
    const value = { at: new Date(0), list: [1n] };
    expect(json.encode(value)).toBe('{"at":"1970-01-01T00:00:00.000Z","list":[1]}');
    expect(value).toEqual({ at: new Date(0), list: [1n] });
  });
});
