import type { TokenSink } from './token-sink.js';

/** Keeps all tokens of a sequence, for a caller who wants them at once. The sequence's deadline bounds it. */
export class TokenCollector<T> implements TokenSink<T> {
  readonly hasRoom = true;
  onRoom: (() => void) | undefined;
  readonly tokens: T[] = [];

  push(token: T): boolean {
    this.tokens.push(token);
    return true;
  }
}
