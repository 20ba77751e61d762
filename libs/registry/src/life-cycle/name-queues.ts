/** Keeps whoever comes next waiting until this has settled, too. */
export type Hold = (until: Promise<unknown>) => void;

/** Runs the operations on one name one after the other, in the order in which they came. Names do not wait for each other. */
export class NameQueues {
  readonly #tails = new Map<string, Promise<void>>();

  /** Whether an operation on `name` runs or waits. */
  isBusy(name: string): boolean {
    return this.#tails.has(name);
  }

  /** Runs `operation` when its turn comes. One that fails does not keep the next ones from running. */
  run<T>(name: string, operation: (hold: Hold) => Promise<T>): Promise<T> {
    const held: Promise<unknown>[] = [];
    const before = this.#tails.get(name) ?? Promise.resolve();
    const result = before.then(() => operation((until) => held.push(until)));
    const tail: Promise<void> = Promise.allSettled([result])
      .then(() => Promise.allSettled(held))
      .then(() => {
        if (this.#tails.get(name) === tail) this.#tails.delete(name);
      });
    this.#tails.set(name, tail);
    return result;
  }
}
