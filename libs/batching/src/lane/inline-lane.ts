import type { BatchHandler } from '#model';
import type { Batch } from './batch.js';
import type { Lane } from './lane.js';
import { RunContext, type RunContextOwner } from './run-context.js';

/** Runs a handler on the caller's own thread: for handlers that await I/O. */
export class InlineLane<I, O> implements Lane<I, O> {
  readonly id: number;
  readonly device: string;
  readonly #handler: BatchHandler<I, O>;
  readonly #owner: RunContextOwner;

  constructor(handler: BatchHandler<I, O>, owner: RunContextOwner) {
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
      const toEpoch = performance.timeOrigin;
      const context = new RunContext(
        this.#owner,
        batch.items.map(({ requestId, parameters, deadline }) => ({
          requestId,
          parameters,
          deadline: toEpoch + deadline,
        })),
      );
      batch.onDeparture = (index) => context.depart(index);
      batch.complete(
        await this.#handler(
          batch.items.map((item) => item.value),
          context,
        ),
      );
    } catch (error) {
      batch.fail(error);
    }
  }
}
