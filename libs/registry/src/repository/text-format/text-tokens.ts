/** A piece of protobuf's text format. */
export interface TextToken {
  readonly kind: 'name' | 'number' | 'string' | 'punctuation' | 'end';
  /** As it stands in the text; of a string, what it means. */
  readonly text: string;
  /** Its line, from 1. */
  readonly line: number;
}

/** Something that is not written as the text format asks for. */
export class TextFormatError extends Error {
  override readonly name = 'TextFormatError';

  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
  }
}

const SPACE = /(?:[\s]|#[^\n]*)+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?)(?![A-Za-z0-9_.])/y;
const STRING = /"((?:[^"\\\n]|\\[^\n])*)"|'((?:[^'\\\n]|\\[^\n])*)'/y;
const PUNCTUATION = /[{}<>[\]:;,/.-]/y;
const KINDS = [
  ['string', STRING],
  ['name', NAME],
  ['number', NUMBER],
  ['punctuation', PUNCTUATION],
] as const;
const ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([^xuU0-7]))/g;
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '?': '?',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

/** Cuts a text into tokens; the last one is of kind `end`. */
export function textTokens(text: string): TextToken[] {
  const tokens: TextToken[] = [];
  let line = 1;
  let position = 0;
  let found: RegExpExecArray | null = null;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const result = pattern.exec(text);
    if (result !== null) position = pattern.lastIndex;
    return result;
  };
  while (position < text.length) {
    const space = match(SPACE);
    if (space !== null) {
      line += space[0].split('\n').length - 1;
      continue;
    }
    const kind = KINDS.find(([, pattern]) => (found = match(pattern)) !== null)?.[0];
    if (kind === undefined) throw new TextFormatError(line, `'${text[position]}' is not understood`);
    const [whole, double, single] = found!;
    tokens.push({ kind, text: kind === 'string' ? unescaped((double ?? single)!, line) : whole, line });
  }
  tokens.push({ kind: 'end', text: 'the end', line });
  return tokens;
}

function unescaped(text: string, line: number): string {
  return text.replace(
    ESCAPE,
    (whole, hex?: string, short?: string, long?: string, octal?: string, plain?: string) => {
      const code = hex ?? short ?? long;
      if (code !== undefined) return String.fromCodePoint(parseInt(code, 16));
      if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8));
      const character = SIMPLE_ESCAPES[plain!];
      if (character === undefined) throw new TextFormatError(line, `'${whole}' is no escape`);
      return character;
    },
  );
}
