import { HandlerStream, type RunContextOwner, type RunnableHandler } from '#batching';
import { toWire } from '../protocol/wire-error.js';
import type { FromWorker, NextStepMessage, RunMessage, StepMessage } from '../protocol/worker-messages.js';
import type { InputDecoder } from './input-decoder.js';
import { readValues } from './read-values.js';
import { toStepMessage } from './result-message.js';

/** How a runner answers. */
export interface StreamAnswers {
  post(message: FromWorker): void;
  postStep(message: StepMessage): void;
}

interface CurrentRun {
  readonly batch: number;
  readonly stream: HandlerStream;
  /** Lets whoever waits for the run's end go on. */
  readonly end: () => void;
}

/** Runs streaming batches through a model's handler, one at a time, each step by step as the pool asks for it. */
export class StreamRunner {
  readonly #handler: RunnableHandler;
  readonly #decoder: InputDecoder;
  readonly #owner: RunContextOwner;
  readonly #answers: StreamAnswers;
  #current: CurrentRun | undefined;

  constructor(
    handler: RunnableHandler,
    decoder: InputDecoder,
    owner: RunContextOwner,
    answers: StreamAnswers,
  ) {
    this.#handler = handler;
    this.#decoder = decoder;
    this.#owner = owner;
    this.#answers = answers;
  }

  /** Runs the first step of a batch. Settles when the batch has ended. Never rejects. */
  run({ batch, items, values }: RunMessage): Promise<void> {
    return new Promise((resolve) => {
      this.#current = { batch, stream: new HandlerStream(this.#handler, this.#owner), end: resolve };
      void this.#step(this.#current, { left: [], sequences: [...items.keys()], items, values });
    });
  }

  /** Runs the next step. */
  next(message: NextStepMessage): void {
    if (this.#current?.batch === message.batch) void this.#step(this.#current, message);
  }

  /** Ends the batch, which stands between two steps. */
  close(batch: number): void {
    if (this.#current?.batch === batch) void this.#close(this.#current);
  }

  /** Aborts the signal of a sequence whose client has left. */
  depart(batch: number, sequence: number): void {
    if (this.#current?.batch === batch) this.#current.stream.depart(sequence);
  }

  async #step(run: CurrentRun, input: Omit<NextStepMessage, 'type' | 'batch'>): Promise<void> {
    try {
      const values = readValues(input).map((value) => this.#decoder.decode(value));
      const step = await run.stream.next({ ...input, values });
      this.#answers.postStep(toStepMessage(run.batch, step));
      if (step.done) this.#end(run);
    } catch (error) {
      this.#answers.post({ type: 'failed', batch: run.batch, error: toWire(error) });
      this.#end(run);
    }
  }

  async #close(run: CurrentRun): Promise<void> {
    await run.stream.close();
    this.#answers.post({ type: 'closed', batch: run.batch });
    this.#end(run);
  }

  #end(run: CurrentRun): void {
    this.#current = undefined;
    run.end();
  }
}
