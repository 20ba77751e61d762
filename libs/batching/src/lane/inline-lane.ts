import type { Batch } from './batch.js';
import type { Lane } from './lane.js';
import { runHandler, type RunnableHandler } from '../run/handler-run.js';
import { RunContext, type RunContextOwner } from '../run/run-context.js';
import type { RunContextItem } from '../run/run-item-context.js';

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
    void this.#run(batch);
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

/** Handlers compare deadlines with Date.now(). */
function toEpoch({ requestId, parameters, deadline }: RunContextItem): RunContextItem {
  return { requestId, parameters, deadline: performance.timeOrigin + deadline };
}
