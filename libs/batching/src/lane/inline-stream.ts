import { HandlerStream, type StepInput } from '../run/handler-stream.js';
import type { RunnableHandler } from '../run/handler-run.js';
import type { RunContextOwner } from '../run/run-context.js';
import type { BatchItem } from '../queue/batch-item.js';
import { toEpoch } from './to-epoch.js';
import type { StreamingBatch } from './streaming-batch.js';

/** Runs one streaming batch on the caller's own thread. */
export class InlineStream<I, O> {
  readonly #batch: StreamingBatch<I, O>;
  readonly #stream: HandlerStream;

  constructor(batch: StreamingBatch<I, O>, handler: RunnableHandler, owner: RunContextOwner) {
    this.#batch = batch;
    this.#stream = new HandlerStream(handler, owner);
  }

  start(): void {
    const batch = this.#batch;
    batch.onNext = ({ left, sequences, joined }) => void this.#step({ left, sequences, ...toRun(joined) });
    batch.onClose = () => void this.#close();
    batch.onDeparture = (sequence) => this.#stream.depart(sequence);
    void this.#step({ left: [], sequences: [...batch.items.keys()], ...toRun(batch.items) });
  }

  async #step(input: StepInput): Promise<void> {
    try {
      const { entries, done } = await this.#stream.next(input);
      this.#batch.step(entries, done);
    } catch (error) {
      this.#batch.fail(error);
    }
  }

  async #close(): Promise<void> {
    await this.#stream.close();
    this.#batch.complete();
  }
}

function toRun<I, O>(items: readonly BatchItem<I, O>[]): Pick<StepInput, 'items' | 'values'> {
  return { items: items.map(toEpoch), values: items.map(({ value }) => value) };
}
