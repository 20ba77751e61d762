import type { Batch } from './batch.js';
import type { Lane } from './lane.js';
import { runHandler, type RunnableHandler } from '../run/handler-run.js';
import { RunContext, type RunContextOwner } from '../run/run-context.js';
import { InlineStream } from './inline-stream.js';
import { StreamingBatch } from './streaming-batch.js';
import { toEpoch } from './to-epoch.js';

/** Runs a handler on the caller's own thread: for handlers that await I/O. */
export class InlineLane<I, O> implements Lane<I, O> {
  readonly id: number;
  readonly device: string;
  readonly #handler: RunnableHandler;
  readonly #owner: RunContextOwner;

  constructor(handler: RunnableHandler, owner: RunContextOwner) {
    this.id = owner.workerId;
    this.device = owner.device;
    this.#handler = handler;
    this.#owner = owner;
  }

  start(batch: Batch<I, O>): void {
    if (batch instanceof StreamingBatch) new InlineStream(batch, this.#handler, this.#owner).start();
    else void this.#run(batch);
  }

  async #run(batch: Batch<I, O>): Promise<void> {
    try {
      const context = new RunContext(this.#owner, batch.items.map(toEpoch));
      batch.onDeparture = (index) => context.items[index]?.depart();
      const values = batch.items.map(({ value }) => value);
      batch.complete(await runHandler(this.#handler, values, context));
    } catch (error) {
      batch.fail(error);
    }
  }
}
