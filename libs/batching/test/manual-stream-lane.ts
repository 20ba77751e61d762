import type { Batch, Lane, StreamingBatch } from '../src/index.js';

/** A sequence as a handler keeps it. */
export interface ManualSequence<I> {
  readonly number: number;
  readonly value: I;
  /** Tokens that it has given. */
  given: number;
}

/** A lane whose streaming batches the test leads itself; each token is `<number in its sequence>` of its input. */
export class ManualStreamLane<I> implements Lane<I, unknown> {
  readonly device = 'cpu';
  batch: StreamingBatch<I, unknown> | undefined;
  /** `running` while the handler is asked for a step, `closing` when it is asked to end. */
  phase: 'idle' | 'running' | 'standing' | 'closing' = 'idle';
  /** The sequences that the handler has. */
  list: ManualSequence<I>[] = [];
  /** Sizes of the list, step by step. */
  readonly sizes: number[] = [];
  readonly departed: number[] = [];

  constructor(readonly id = 0) {}

  start(given: Batch<I, unknown>): void {
    if (this.phase !== 'idle') throw new Error('the lane was given a batch while it runs another');
    const batch = given as StreamingBatch<I, unknown>;
    this.batch = batch;
    this.phase = 'running';
    this.list = batch.items.map(({ value }, number) => ({ number, value, given: 0 }));
    batch.onDeparture = (number) => this.departed.push(number);
    batch.onNext = ({ left, joined, sequences }) => {
      if (this.phase !== 'standing') throw new Error(`asked for a step while ${this.phase}`);
      this.phase = 'running';
      this.list = this.list.filter(({ number }) => !left.includes(number));
      joined.forEach(({ value }, index) => this.list.push({ number: sequences[index]!, value, given: 0 }));
    };
    batch.onClose = () => {
      if (this.phase !== 'standing') throw new Error(`asked to end while ${this.phase}`);
      this.phase = 'closing';
    };
  }

  /**
   * Ends the step that runs.
   *
   * @param tokenOf what a sequence gives: its token, `null` or an `Error`
   * @param done whether the handler returns with it
   */
  step(tokenOf: (sequence: ManualSequence<I>) => unknown = ({ given }) => given, done = false): void {
    if (this.phase !== 'running') throw new Error(`no step to end while ${this.phase}`);
    this.sizes.push(this.list.length);
    const entries = this.list.map((sequence) => {
      sequence.given++;
      return { sequence: sequence.number, value: tokenOf(sequence) };
    });
    this.phase = done ? 'idle' : 'standing';
    this.batch!.step(entries, done);
  }

  /** The handler, which was asked to end, has ended. */
  close(): void {
    if (this.phase !== 'closing') throw new Error(`nothing to close while ${this.phase}`);
    this.phase = 'idle';
    this.batch!.complete();
  }

  fail(error: unknown): void {
    this.phase = 'idle';
    this.batch!.fail(error);
  }
}
