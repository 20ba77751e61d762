import type { TokenStream } from '#batching';

/** The streams whose readers have not had everything yet. */
export class OpenStreams {
  readonly #open = new Set<TokenStream<unknown>>();
  #onClosed: (() => void)[] = [];

  add(stream: TokenStream<unknown>): void {
    this.#open.add(stream);
    stream.onClosed = () => {
      this.#open.delete(stream);
      if (this.#open.size > 0) return;
      for (const listener of this.#onClosed.splice(0)) listener();
    };
  }

  /** Settles when no stream is open. */
  closed(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onClosed.push(resolve);
    });
  }
}
