import { ServingError, type StepChanges } from '#model';
import type { StepEntry } from '../lane/streaming-batch.js';
import { describe } from '../result/batch-result.js';
import { toBatchError } from '../result/handler-error.js';
import { checkStep } from '../result/step-tokens.js';
import { partsWithinCost } from './cost-parts.js';
import { forEachAlive, type RunnableHandler } from './handler-run.js';
import { RunContext, type RunContextOwner } from './run-context.js';
import { RunItemContext, type RunContextItem } from './run-item-context.js';

/** What a step starts with: who has gone, and who is new, with one value each. */
export interface StepInput {
  /** Numbers of the sequences that are over; those that the handler has ended itself may be among them. */
  readonly left: readonly number[];
  /** Numbers of the new sequences. */
  readonly sequences: readonly number[];
  readonly items: readonly RunContextItem[];
  /** An `Error` stands for a sequence that has failed already. */
  readonly values: readonly unknown[];
}

/** What a step brought. */
export interface StepOutput {
  readonly entries: readonly StepEntry[];
  /** Whether the handler has come to its end, and what is left of its sequences with it. */
  readonly done: boolean;
}

interface Sequence {
  readonly number: number;
  readonly context: RunItemContext;
}

/** One run of a streaming handler, step by step: knows which sequence stands where in the handler's list. */
export class HandlerStream {
  readonly #handler: RunnableHandler;
  readonly #context: RunContext;
  /** The handler's list. Where it is not continuous, sequences that are over keep their place. */
  readonly #list: Sequence[] = [];
  #iterator: AsyncIterator<unknown, unknown, StepChanges | undefined> | undefined;

  constructor(handler: RunnableHandler, owner: RunContextOwner) {
    this.#handler = handler;
    this.#context = new RunContext(owner, []);
  }

  /**
   * Runs one step. Must not be called before the one before it has ended.
   *
   * @throws {ServingError} `handler_failed` or `contract_violation`, for the run as a whole
   */
  async next({ left, sequences, items, values }: StepInput): Promise<StepOutput> {
    for (const { number, context } of this.#list) if (left.includes(number)) context.ended = true;
    const ended = this.#isContinuous ? this.#dropEnded() : [];
    // At once: a departure that comes while the inputs are decoded must find its sequence.
    const joined = items.map((item, index) => this.#join(sequences[index]!, item));
    try {
      const { inputs, failures } = await this.#decode(joined, values);
      if (this.#list.every(({ context }) => context.ended)) return { entries: failures, done: false };
      const { done = false, value } = await this.#advance(inputs, ended);
      const tokens = done ? this.#returned() : await this.#collect(value);
      return { entries: [...failures, ...tokens], done };
    } catch (error) {
      await this.close();
      throw toBatchError(error);
    }
  }

  /** Aborts the signal of a sequence whose client has left. */
  depart(sequence: number): void {
    this.#list.find(({ number }) => number === sequence)?.context.depart();
  }

  /** Ends the handler: its `finally` blocks run. Nobody is left to hear of an error in them. */
  async close(): Promise<void> {
    const iterator = this.#iterator;
    this.#iterator = undefined;
    try {
      await iterator?.return?.();
    } catch {
      // The run is over in any case.
    }
  }

  get #isContinuous(): boolean {
    return this.#handler.streaming === 'continuous';
  }

  #join(number: number, item: RunContextItem): Sequence {
    const sequence = { number, context: new RunItemContext(item) };
    this.#list.push(sequence);
    this.#context.join(sequence.context);
    return sequence;
  }

  /** Takes what is over off the list. Returns the indices, descending. */
  #dropEnded(): number[] {
    const indices = [...this.#list.keys()].filter((index) => this.#list[index]!.context.ended).toReversed();
    for (const index of indices) {
      this.#list.splice(index, 1);
      this.#context.leave(index);
    }
    return indices;
  }

  /** Makes the handler's inputs. A sequence that fails here never comes on the handler's list. */
  async #decode(
    joined: readonly Sequence[],
    values: readonly unknown[],
  ): Promise<{ inputs: unknown[]; failures: StepEntry[] }> {
    const { hooks, bound } = this.#handler;
    const inputs = [...values];
    await forEachAlive(
      inputs,
      hooks?.decode && ((value, index) => hooks.decode!(value, joined[index]!.context)),
    );
    // A stream can't be run in parts: only what is too large alone is refused here.
    if (bound !== undefined) partsWithinCost(inputs, bound);
    const failures = joined.flatMap(({ number, context }, index): StepEntry[] => {
      const value = inputs[index];
      if (!(value instanceof Error)) return [];
      context.ended = true;
      return [{ sequence: number, value }];
    });
    if (failures.length > 0) this.#dropEnded();
    return { inputs: inputs.filter((input) => !(input instanceof Error)), failures };
  }

  async #advance(inputs: unknown[], ended: readonly number[]): Promise<IteratorResult<unknown, unknown>> {
    if (this.#iterator !== undefined) {
      return this.#iterator.next(this.#isContinuous ? { ended, joined: inputs } : undefined);
    }
    const steps = await this.#handler.handle(inputs as never, this.#context);
    const iterate = (steps as Partial<AsyncIterable<unknown, unknown, StepChanges | undefined>> | null)?.[
      Symbol.asyncIterator
    ];
    if (iterate === undefined) {
      const message = `a streaming handler must return an async generator, but returned ${describe(steps)}`;
      throw new ServingError('contract_violation', message);
    }
    this.#iterator = iterate.call(steps);
    return this.#iterator.next();
  }

  /** The handler has returned. A continuous one must not while it has sequences: they may be brand-new. */
  #returned(): StepEntry[] {
    this.#iterator = undefined;
    const open = this.#list.filter(({ context }) => !context.ended).length;
    if (!this.#isContinuous || open === 0) return [];
    const message = `the handler returned while ${open} of its sequences had not ended`;
    throw new ServingError('contract_violation', message);
  }

  /** Checks and encodes the tokens of one step. */
  async #collect(step: unknown): Promise<StepEntry[]> {
    const isLive = this.#list.map(({ context }) => !context.ended);
    const tokens = checkStep(step, isLive).filter((_, index) => isLive[index]);
    const sequences = this.#list.filter((_, index) => isLive[index]);
    const { hooks } = this.#handler;
    await forEachAlive(
      tokens,
      hooks?.encode &&
        (async (token, index) => {
          if (token === null) return null;
          return present(await hooks.encode!(token, sequences[index]!.context));
        }),
    );
    return sequences.map(({ number, context }, index) => {
      const value = tokens[index];
      context.ended = value === null || value instanceof Error;
      return { sequence: number, value };
    });
  }
}

/** An encoded token must not be taken for the end of its sequence. */
function present(encoded: unknown): unknown {
  if (encoded !== null && encoded !== undefined) return encoded;
  throw new ServingError(
    'contract_violation',
    `encode must return a value, but returned ${describe(encoded)}`,
  );
}
