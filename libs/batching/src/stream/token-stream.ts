import type { ItemStream, ServingError } from '#model';
import type { TokenSink } from './token-sink.js';

interface Waiter<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: ServingError): void;
}

/** Share of its bound up to which a reader that lags behind still makes the model go on. */
const ROOM_SHARE = 1 / 16;

/**
 * One client's stream, with a bounded buffer between the batch that fills it and the one reader that empties
 * it. What was buffered is still read after the end; an error comes after it.
 */
export class TokenStream<T> implements ItemStream<T>, TokenSink<T> {
  onRoom: (() => void) | undefined;
  /** Told when the reader gives up before the end. */
  onReturn: (() => void) | undefined;
  /** Told once, when there is nothing more to come: with the error that ended the stream, if one did. */
  onEnded: ((error: ServingError | undefined) => void) | undefined;
  /** Told once, when the reader has had everything, or has given up, or the stream has failed. */
  onClosed: (() => void) | undefined;
  readonly #bound: number;
  readonly #room: number;
  readonly #tokens: T[] = [];
  readonly #waiters: Waiter<T>[] = [];
  #error: ServingError | undefined;
  #ended = false;
  #closed = false;

  /** @param bound most tokens that may wait for the reader, ≥ 1 */
  constructor(bound: number) {
    this.#bound = bound;
    this.#room = Math.max(1, Math.ceil(bound * ROOM_SHARE));
  }

  get hasRoom(): boolean {
    return this.#tokens.length < this.#room;
  }

  push(token: T): boolean {
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) waiter.resolve({ done: false, value: token });
    else if (this.#tokens.length < this.#bound) this.#tokens.push(token);
    else return false;
    return true;
  }

  /** Ends the stream, with an error or without. */
  end(error?: ServingError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.onEnded?.(error);
    if (error !== undefined || this.#waiters.length > 0) this.#close();
    for (const waiter of this.#waiters.splice(0)) this.#finish(waiter);
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return new Promise((resolve, reject) => {
      if (this.#tokens.length > 0) {
        const hadRoom = this.hasRoom;
        resolve({ done: false, value: this.#tokens.shift()! });
        if (!hadRoom && this.hasRoom) this.onRoom?.();
      } else if (this.#ended) {
        this.#close();
        this.#finish({ resolve, reject });
      } else {
        this.#waiters.push({ resolve, reject });
      }
    });
  }

  /** Gives the stream up: its sequence leaves its batch. */
  return(): Promise<IteratorResult<T, undefined>> {
    this.#tokens.length = 0;
    if (!this.#ended) this.onReturn?.();
    this.#error = undefined;
    this.end();
    this.#close();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  /** The error is told once; after it the stream is merely over. */
  #finish(waiter: Waiter<T>): void {
    const error = this.#error;
    this.#error = undefined;
    if (error === undefined) waiter.resolve({ done: true, value: undefined });
    else waiter.reject(error);
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onClosed?.();
  }
}
