import { Codecs, InputValidator } from '#codec';
import {
  isServingError,
  MEASURES,
  packArrays,
  type BuiltInCost,
  type ErrorCode,
  type Fault,
  type JsonSchema,
} from '#model';
import { serialize } from 'node:v8';
import { move, transferableSymbol, valueSymbol } from 'piscina';

/* What a body thread does. Piscina calls these by name. */

/** A body to be decoded. */
export interface DecodeTask {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** Description of one item, as JSON. */
  readonly description: string;
}

/** What was in a body. */
export interface DecodedBody {
  readonly items: readonly DecodedItem[];
  readonly isList: boolean;
  readonly parameters: Record<string, unknown>;
}

/** An item with tensors as it is; one of plain values alone as bytes, with what is to be known of it. */
export type DecodedItem =
  | { readonly value: unknown }
  | { readonly bytes: Uint8Array; readonly measured: Readonly<Record<BuiltInCost, number>> };

/** An answer to be encoded. */
export interface EncodeTask {
  readonly mediaType: string;
  readonly answer: unknown;
}

/** How a task ended: an error that a client is answered with would lose its own fields on the way. */
export type TaskOutcome<T> =
  | { readonly value: T }
  | { readonly code: ErrorCode; readonly message: string; readonly faults?: readonly Fault[] };

/** Models that send large bodies are few; more come only where they are replaced again and again. */
const MOST_VALIDATORS = 32;

const codecs = new Codecs();
const validators = new Map<string, InputValidator>();

/** Decodes a body and checks it. */
export function decode({ mediaType, bytes, description }: DecodeTask): unknown {
  return settle((): DecodedBody => {
    const { buffer, byteOffset, byteLength } = bytes;
    const body = codecs.forContentType(mediaType).decode(Buffer.from(buffer, byteOffset, byteLength));
    const { items, isList, parameters } = validatorFor(description).validate(body);
    return { items: items.map(toDecodedItem), isList, parameters };
  });
}

function toDecodedItem(value: unknown): DecodedItem {
  if (holdsArrays(value)) return { value };
  const { bytes, elements, length } = MEASURES;
  return {
    bytes: serialize(value),
    measured: { bytes: bytes(value), elements: elements(value), length: length(value) },
  };
}

function holdsArrays(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (ArrayBuffer.isView(value)) return true;
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some(holdsArrays);
}

/** Encodes an answer. */
export function encode({ mediaType, answer }: EncodeTask): unknown {
  return settle(() => {
    const encoded = codecs.forContentType(mediaType).encode(answer);
    return typeof encoded === 'string' ? Buffer.from(encoded) : encoded;
  });
}

function validatorFor(description: string): InputValidator {
  let validator = validators.get(description);
  if (validator !== undefined) return validator;
  if (validators.size === MOST_VALIDATORS) validators.clear();
  validator = new InputValidator(JSON.parse(description) as JsonSchema);
  validators.set(description, validator);
  return validator;
}

function settle(task: () => unknown): unknown {
  try {
    const { values, transfer } = packArrays([task()]);
    const outcome = { value: values[0] };
    return move({ [transferableSymbol]: transfer, [valueSymbol]: outcome });
  } catch (error) {
    if (!isServingError(error)) throw error;
    const { code, message, faults } = error;
    return { code, message, ...(faults === undefined ? {} : { faults }) };
  }
}
