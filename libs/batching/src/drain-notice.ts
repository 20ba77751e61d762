/** Tells those who wait for it that a batcher is empty. */
export class DrainNotice {
  readonly #isEmpty: () => boolean;
  #listeners: (() => void)[] = [];

  constructor(isEmpty: () => boolean) {
    this.#isEmpty = isEmpty;
  }

  /** Settles when the batcher is empty. */
  wait(): Promise<void> {
    if (this.#isEmpty()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#listeners.push(resolve);
    });
  }

  /** Looks whether it is: to be called whenever something has ended. */
  review(): void {
    if (this.#listeners.length === 0 || !this.#isEmpty()) return;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}
