/** Where the tokens of one sequence go. */
export interface TokenSink<T> {
  /** Whether another token is wanted now. */
  readonly hasRoom: boolean;
  /** Told when it has room again, after it had none. */
  onRoom: (() => void) | undefined;
  /** Takes a token. Returns false when it can hold no more: that token is lost, and its reader must be ended. */
  push(token: T): boolean;
}
