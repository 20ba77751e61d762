import { checkBatchResult, RunContext, toBatchError, type RunContextOwner } from '#batching';
import type { BatchHandler } from '#model';
import type { RunMessage } from '../protocol/worker-messages.js';
import type { InputDecoder } from './input-decoder.js';

/** Runs batches through a model's handler, one at a time. */
export class HandlerRunner {
  readonly #handler: BatchHandler<unknown, unknown>;
  readonly #decoder: InputDecoder;
  readonly #owner: RunContextOwner;
  #current:
    { readonly batch: number; readonly indices: readonly number[]; readonly context: RunContext } | undefined;

  constructor(handler: BatchHandler<unknown, unknown>, decoder: InputDecoder, owner: RunContextOwner) {
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
    const results: unknown[] = message.values.map((value) => this.#decoder.decode(value));
    // The handler sees only items that could be decoded; the others' errors stay where they are.
    const indices = [...results.keys()].filter((index) => !(results[index] instanceof Error));
    if (indices.length === 0) return results;
    const context = new RunContext(
      this.#owner,
      indices.map((index) => message.items[index]!),
    );
    this.#current = { batch: message.batch, indices, context };
    try {
      const batch = indices.map((index) => results[index]);
      const output = checkBatchResult(await this.#handler(batch, context), batch.length);
      indices.forEach((index, position) => {
        results[index] = output[position];
      });
      return results;
    } catch (error) {
      throw toBatchError(error);
    } finally {
      this.#current = undefined;
    }
  }

  /** Aborts the signal of an item whose client has left. */
  depart(batch: number, index: number): void {
    if (this.#current?.batch === batch) this.#current.context.depart(this.#current.indices.indexOf(index));
  }
}
