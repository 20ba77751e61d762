import { RunContext, runHandler, type RunContextOwner, type RunnableHandler } from '#batching';
import type { RunMessage } from '../protocol/worker-messages.js';
import type { InputDecoder } from './input-decoder.js';
import { readValues } from './read-values.js';

/** Runs batches through a model's handler, one at a time. */
export class HandlerRunner {
  readonly #handler: RunnableHandler;
  readonly #decoder: InputDecoder;
  readonly #owner: RunContextOwner;
  #current: { readonly batch: number; readonly context: RunContext } | undefined;

  constructor(handler: RunnableHandler, decoder: InputDecoder, owner: RunContextOwner) {
    this.#handler = handler;
    this.#decoder = decoder;
    this.#owner = owner;
  }

  /**
   * Runs one batch.
   *
   * @returns one result an item; an `Error` stands for its own item
   * @throws {ServingError} `handler_failed` or `contract_violation`, for the batch as a whole
   */
  async run(message: RunMessage): Promise<readonly unknown[]> {
    const { batch, items } = message;
    const context = new RunContext(this.#owner, items);
    this.#current = { batch, context };
    try {
      const inputs = readValues(message).map((value) => this.#decoder.decode(value));
      return await runHandler(this.#handler, inputs, context);
    } finally {
      this.#current = undefined;
    }
  }

  /** Aborts the signal of an item whose client has left. */
  depart(batch: number, index: number): void {
    if (this.#current?.batch === batch) this.#current.context.items[index]?.depart();
  }
}
