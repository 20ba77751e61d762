import { ProtobufMessage } from './protobuf-message.js';

/**
 * The value of an operator's attribute. JavaScript has one type of number where ONNX has two: a plain number
 * is an integer, and a floating-point number is marked, `{ float: 0.1 }`.
 */
export type OnnxAttribute =
  number | readonly number[] | string | { readonly float: number } | { readonly floats: readonly number[] };

// Field numbers and type numbers of AttributeProto.
const NAME = 1;
const FLOAT = 2;
const INTEGER = 3;
const STRING = 4;
const FLOATS = 7;
const INTEGERS = 8;
const TYPE = 20;
const TYPES = { float: 1, integer: 2, string: 3, floats: 6, integers: 7 } as const;

/** Encodes an attribute as an `AttributeProto`. */
export function attributeMessage(name: string, value: OnnxAttribute): ProtobufMessage {
  const message = new ProtobufMessage().string(NAME, name);
  if (typeof value === 'number') return message.integer(INTEGER, value).integer(TYPE, TYPES.integer);
  if (typeof value === 'string') return message.string(STRING, value).integer(TYPE, TYPES.string);
  if ('float' in value) return message.float(FLOAT, value.float).integer(TYPE, TYPES.float);
  if ('floats' in value) return message.floats(FLOATS, value.floats).integer(TYPE, TYPES.floats);
  for (const element of value) message.integer(INTEGERS, element);
  return message.integer(TYPE, TYPES.integers);
}
