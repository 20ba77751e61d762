import { packArrays } from '#model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame } from './encode-frame.js';
import { FrameReader } from './frame-reader.js';

/** Sends messages in pieces of `pieceBytes` and returns what arrives. */
function send(messages: readonly (readonly [unknown, ArrayBuffer[]?])[], pieceBytes = 7): unknown[] {
  const arrived: unknown[] = [];
  const reader = new FrameReader<unknown>((message) => arrived.push(message));
  const bytes = Buffer.concat(messages.flatMap(([message, transfer]) => encodeFrame(message, transfer)));
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.push(bytes.subarray(at, at + pieceBytes));
  expect(reader.isInsideFrame).toBe(false);
  return arrived;
}

describe('frames between processes', () => {
  it('carry what structured clone carries', () => {
    const message = {
      text: 'ü',
      big: 2n ** 70n,
      map: new Map([['a', new Set([1])]]),
      date: new Date(0),
      none: undefined,
      list: [null, NaN, -0],
    };
    expect(send([[message]])).toEqual([message]);
  });

  it('carry tensors of every kind as views on one buffer', () => {
    const values = [
      Float32Array.of(1.5, 2),
      BigInt64Array.of(-1n),
      Uint8Array.of(1, 2, 3),
      Int16Array.of(-7),
      Float64Array.of(Math.PI),
      Uint8ClampedArray.of(300),
      new Float32Array(0),
    ];
    const { values: packed, transfer } = packArrays(values);
    const [arrived] = send([[packed, transfer]]) as [Float32Array[]];
    expect(arrived).toEqual(values);
    expect(new Set(arrived.map(({ buffer }) => buffer)).size).toBe(1);
  });

  it('carry views that lie where packing does not look, such as in a Map', () => {
    const inside = Float64Array.of(1, 2, 3).subarray(1);
    const view = new DataView(Uint8Array.of(9, 8, 7).buffer, 1);
    const [arrived] = send([[new Map<string, ArrayBufferView>(Object.entries({ inside, view }))]]) as [
      Map<string, ArrayBufferView>,
    ];
    expect(arrived.get('inside')).toEqual(Float64Array.of(2, 3));
    expect((arrived.get('view') as DataView).getUint8(0)).toBe(8);
  });

  it('keep several buffers apart, each aligned', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    const floats = Float64Array.of(4);
    expect(
      send([
        [
          [bytes, floats],
          [bytes.buffer, floats.buffer],
        ],
      ]),
    ).toEqual([[bytes, floats]]);
  });

  it('P2 arrive whole and in order, however the bytes are cut', () => {
    const message = fc.record({
      text: fc.string(),
      values: fc.array(fc.oneof(fc.float32Array(), fc.uint8Array(), fc.string()), { maxLength: 5 }),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), fc.integer({ min: 1, max: 70 }), (messages, piece) => {
        const packed = messages.map(({ text, values }) => {
          const { values: moved, transfer } = packArrays(values);
          return [{ text, values: moved }, transfer] as const;
        });
        expect(send(packed, piece)).toEqual(messages);
      }),
    );
  });

  it('refuse what cannot be sent', () => {
    expect(() => encodeFrame({ callback: () => 1 })).toThrow('could not be cloned');
  });

  it('are told from anything else', () => {
    const reader = new FrameReader(() => expect.fail('this is no message'));
    expect(() => reader.push(Buffer.from('hello, I am a stray print'))).toThrow('no message');
  });

  it('tell when a line has broken inside one', () => {
    const reader = new FrameReader(() => expect.fail('half a message is none'));
    const bytes = Buffer.concat(encodeFrame('whole'));
    reader.push(bytes.subarray(0, bytes.length - 1));
    expect(reader.isInsideFrame).toBe(true);
  });
});
