import { toBatchError, type NextStep, type StepEntry, type StreamingBatch } from '#batching';
import { fromWire } from '../protocol/wire-error.js';
import type { StepMessage } from '../protocol/worker-messages.js';
import type { WorkerTransport } from '../transport/worker-transport.js';
import { toWireItems } from './wire-items.js';

/** One streaming batch on its way through a worker, one step at a time. */
export class WorkerStream {
  readonly #batch: StreamingBatch<unknown, unknown>;
  readonly #transport: WorkerTransport;
  /** Sequences that could not be sent to the worker; told with the step that they would have joined. */
  #unsent: StepEntry[] = [];

  constructor(batch: StreamingBatch<unknown, unknown>, transport: WorkerTransport) {
    this.#batch = batch;
    this.#transport = transport;
    batch.onNext = (next) => this.#next(next);
    batch.onClose = () => transport.post({ type: 'close', batch: batch.id });
  }

  /** Hands the tokens of one step to the batch. */
  receive({ sequences, values, errors, done }: StepMessage): void {
    const entries = [...values];
    for (const { index, error } of errors) entries[index] = fromWire(error);
    const unsent = this.#unsent;
    this.#unsent = [];
    const received = entries.map((value, index) => ({ sequence: sequences[index]!, value }));
    this.#batch.step([...unsent, ...received], done);
  }

  #next(next: NextStep<unknown, unknown>): void {
    try {
      this.#post(next);
    } catch {
      // An in-process caller can pass what cannot be cloned: that must not end the streams of the others.
      this.#post(this.#withoutUnsendable(next));
    }
  }

  #post({ left, joined, sequences }: NextStep<unknown, unknown>): void {
    const { items, values, transfer } = toWireItems(joined);
    this.#transport.post({ type: 'next', batch: this.#batch.id, left, sequences, items, values }, transfer);
  }

  #withoutUnsendable({ left, joined, sequences }: NextStep<unknown, unknown>): NextStep<unknown, unknown> {
    const sendable = [...joined.keys()].filter((index) => {
      try {
        structuredClone(joined[index]!.value);
        return true;
      } catch (error) {
        this.#unsent.push({ sequence: sequences[index]!, value: toBatchError(error) });
        return false;
      }
    });
    return {
      left,
      joined: sendable.map((index) => joined[index]!),
      sequences: sendable.map((index) => sequences[index]!),
    };
  }
}
