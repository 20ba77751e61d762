import { TextFormatError, textTokens, type TextToken } from './text-tokens.js';

/** A value of a field: a message, a number, or a text (which a string, an enum's value, `true` and `false` are). */
export type TextValue = TextMessage | number | string;

/** The fields of a message, each with all of its values in their order. */
export type TextMessage = ReadonlyMap<string, readonly TextValue[]>;

/** Deeper messages are refused, so that no text can run the parser out of stack. */
const DEEPEST = 32;

/**
 * Reads protobuf's text format without a schema: https://protobuf.dev/reference/protobuf/textformat-spec/
 *
 * There is a parser in protobufjs, which needs the schema and refuses what is not in it. Here what is unknown must be
 * kept, since it is told and passed over.
 *
 * @throws {TextFormatError} naming the line
 */
export function parseTextFormat(text: string): TextMessage {
  return new TextFormatParser(textTokens(text)).parse();
}

class TextFormatParser {
  readonly #tokens: readonly TextToken[];
  #position = 0;

  constructor(tokens: readonly TextToken[]) {
    this.#tokens = tokens;
  }

  parse(): TextMessage {
    return this.#message('the end', 0);
  }

  get #next(): TextToken {
    return this.#tokens[this.#position]!;
  }

  #message(end: string, depth: number): TextMessage {
    if (depth > DEEPEST)
      throw new TextFormatError(this.#next.line, `messages are nested deeper than ${DEEPEST} levels`);
    const fields = new Map<string, TextValue[]>();
    while (!this.#takes(end)) {
      const name = this.#name();
      const hasColon = this.#takes(':');
      const values = fields.get(name) ?? [];
      fields.set(name, [...values, ...this.#values(name, hasColon, depth)]);
      if (!this.#takes(',')) this.#takes(';');
    }
    return fields;
  }

  /** A field's name; the names of extensions and of `Any` types stand in brackets. */
  #name(): string {
    if (!this.#takes('[')) return this.#expect('name', "a field's name").text;
    let name = '';
    while (!this.#takes(']')) {
      if (this.#next.kind === 'end') throw this.#unexpected("']'");
      name += this.#advance().text;
    }
    return `[${name}]`;
  }

  #values(name: string, hasColon: boolean, depth: number): TextValue[] {
    if (!this.#takes('[')) return [this.#value(name, hasColon, depth)];
    const values: TextValue[] = [];
    if (this.#takes(']')) return values;
    do values.push(this.#value(name, hasColon, depth));
    while (this.#takes(','));
    if (!this.#takes(']')) throw this.#unexpected("',' or ']'");
    return values;
  }

  #value(name: string, hasColon: boolean, depth: number): TextValue {
    if (this.#takes('{')) return this.#message('}', depth + 1);
    if (this.#takes('<')) return this.#message('>', depth + 1);
    if (!hasColon) throw this.#unexpected(`':' after ${name}`);
    if (this.#next.kind === 'string') return this.#strings();
    const isNegative = this.#takes('-');
    const { kind, text } = this.#next;
    const value = kind === 'number' ? toNumber(text) : kind === 'name' ? toScalar(text) : undefined;
    if (value === undefined || (isNegative && typeof value === 'string')) {
      throw this.#unexpected(`a value of ${name}`);
    }
    this.#advance();
    return isNegative ? -Number(value) : value;
  }

  /** Strings that stand side by side are one. */
  #strings(): string {
    let text = '';
    while (this.#next.kind === 'string') text += this.#advance().text;
    return text;
  }

  #takes(text: string): boolean {
    const { kind, text: found } = this.#next;
    if (kind === 'string' || found !== text) return false;
    if (kind !== 'end') this.#position++;
    return true;
  }

  #advance(): TextToken {
    return this.#tokens[this.#next.kind === 'end' ? this.#position : this.#position++]!;
  }

  #expect(kind: TextToken['kind'], what: string): TextToken {
    if (this.#next.kind !== kind) throw this.#unexpected(what);
    return this.#advance();
  }

  #unexpected(wanted: string): TextFormatError {
    const { kind, text, line } = this.#next;
    const found = kind === 'end' ? 'the end of the file' : kind === 'string' ? `"${text}"` : `'${text}'`;
    return new TextFormatError(line, `${wanted} is expected, and there is ${found}`);
  }
}

function toScalar(name: string): number | string {
  const lower = name.toLowerCase();
  if (lower === 'inf' || lower === 'infinity') return Infinity;
  return lower === 'nan' ? NaN : name;
}

function toNumber(text: string): number {
  if (/^0[xX]/.test(text)) return parseInt(text, 16);
  return /^0[0-7]+$/.test(text) ? parseInt(text, 8) : parseFloat(text);
}
