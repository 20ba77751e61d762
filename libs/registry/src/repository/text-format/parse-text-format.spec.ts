import { describe, expect, it } from 'vitest';
import { parseTextFormat, type TextMessage, type TextValue } from './parse-text-format.js';

/** The message as plain objects. */
function plain(message: TextMessage): Record<string, unknown> {
  const toPlain = (value: TextValue): unknown => (typeof value === 'object' ? plain(value) : value);
  return Object.fromEntries([...message].map(([name, values]) => [name, values.map(toPlain)]));
}

const read = (text: string) => plain(parseTextFormat(text));

describe("protobuf's text format", () => {
  it("is read as Triton's documentation writes it", () => {
    const text = `
      # A comment, with "quotes" and {
      name: "resnet"
      platform: 'onnxruntime_onnx'
      max_batch_size : 8
      input [
        { name: "x" data_type: TYPE_FP32 dims: [ 3, 224, -1 ] },
        { name: "y", data_type: TYPE_INT64; dims: 1 dims: 2 }
      ]
      instance_group { count: 2 kind: KIND_CPU }
      dynamic_batching: < preferred_batch_size: [4, 8] > # at the end
    `;
    expect(read(text)).toEqual({
      name: ['resnet'],
      platform: ['onnxruntime_onnx'],
      max_batch_size: [8],
      input: [
        { name: ['x'], data_type: ['TYPE_FP32'], dims: [3, 224, -1] },
        { name: ['y'], data_type: ['TYPE_INT64'], dims: [1, 2] },
      ],
      instance_group: [{ count: [2], kind: ['KIND_CPU'] }],
      dynamic_batching: [{ preferred_batch_size: [4, 8] }],
    });
  });

  it.each([
    ['a: 1', 1],
    ['a: -1', -1],
    ['a: - 1', -1],
    ['a: 0x1F', 31],
    ['a: 017', 15],
    ['a: 0', 0],
    ['a: 1.5', 1.5],
    ['a: .5', 0.5],
    ['a: 1.', 1],
    ['a: 1.5f', 1.5],
    ['a: 2F', 2],
    ['a: -1.5e-3', -0.0015],
    ['a: inf', Infinity],
    ['a: -Infinity', -Infinity],
    ['a: nan', NaN],
    ['a: true', 'true'],
    ['a: TYPE_BOOL', 'TYPE_BOOL'],
    ['a: "x"', 'x'],
    ["a: 'it''s'", 'its'],
    ['a: "one "\n  # between\n "two"', 'one two'],
    ['a: "\\"\\\\\\n\\t\\x41\\101\\u00e4\\U0001F642"', '"\\\n\tAAä🙂'],
    ['a: "#no comment"', '#no comment'],
  ])('%s', (text, value) => {
    expect(read(text)).toEqual({ a: [value] });
  });

  it('has empty lists and messages, lists of messages, maps, and extensions', () => {
    expect(read('')).toEqual({});
    expect(read('a: [] b {} c <> d: [{e: 1}, <e: 2>]')).toEqual({
      a: [],
      b: [{}],
      c: [{}],
      d: [{ e: [1] }, { e: [2] }],
    });
    expect(read('parameters { key: "k" value: { string_value: "v" } }')).toEqual({
      parameters: [{ key: ['k'], value: [{ string_value: ['v'] }] }],
    });
    expect(read('[com.example/ext]: 1')).toEqual({ '[com.example/ext]': [1] });
  });

  it.each([
    ['a', "line 1: ':' after a is expected, and there is the end of the file"],
    ['a 1', "line 1: ':' after a is expected, and there is '1'"],
    ['\n\na {', "line 3: a field's name is expected, and there is the end of the file"],
    ['a { b: 1 >', "line 1: a field's name is expected, and there is '>'"],
    ['a: [1 2]', "line 1: ',' or ']' is expected, and there is '2'"],
    ['a: }', "line 1: a value of a is expected, and there is '}'"],
    ['a: -"x"', 'line 1: a value of a is expected, and there is "x"'],
    ['a: -TYPE', "line 1: a value of a is expected, and there is 'TYPE'"],
    ['}', "line 1: a field's name is expected, and there is '}'"],
    ['"a": 1', 'line 1: a field\'s name is expected, and there is "a"'],
    ['a: "open', "line 1: '\"' is not understood"],
    ['a: 12ab', "line 1: '1' is not understood"],
    ['a: "\\q"', "line 1: '\\q' is no escape"],
    ['a: $', "line 1: '$' is not understood"],
    ['[a', "line 1: ']' is expected, and there is the end of the file"],
  ])('%s is refused with its line', (text, message) => {
    expect(() => parseTextFormat(text)).toThrow(message);
  });

  it('does not run out of stack', () => {
    expect(() => parseTextFormat('a{'.repeat(100_000))).toThrow('nested deeper than 32 levels');
  });
});
