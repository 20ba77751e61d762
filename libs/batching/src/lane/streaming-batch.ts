import type { Isolation } from '../isolation/isolation.js';
import type { BatchItem } from '../queue/batch-item.js';
import { toItemError } from '../result/handler-error.js';
import { Batch } from './batch.js';

/** What one step brought for one sequence: a token, `null` for its end, or an `Error` for its failure. */
export interface StepEntry {
  readonly sequence: number;
  readonly value: unknown;
}

/** How a streaming batch goes on. */
export interface NextStep<I, O> {
  /** Numbers of the sequences that have ended since the handler was told last. */
  readonly left: readonly number[];
  /** New sequences, with the number of each. */
  readonly joined: readonly BatchItem<I, O>[];
  readonly sequences: readonly number[];
}

/** A step that has ended, in the terms of a batch. */
export interface EndedStep<I = unknown, O = unknown> {
  readonly size: number;
  /** The items for which it was the first. */
  readonly items: readonly { readonly arrival: number }[];
  /** Clock time, in milliseconds. */
  readonly startedAt: number;
  /** The items that ended with it. */
  readonly ended: readonly BatchItem<I, O>[];
  /** The items that have lost a token with it. */
  readonly overrun: readonly BatchItem<I, O>[];
}

/** What a streaming batch tells whoever leads it. */
export interface StreamingBatchEvents<I, O> {
  /** It has ended, before what is left of its items has. */
  ended(batch: StreamingBatch<I, O>): void;
  /** It runs again: its next step, or the handler's end. */
  resumed(batch: StreamingBatch<I, O>): void;
  /** A step has ended. Its `overrun` items must be ended, since their readers can hold no more. */
  stepped(batch: StreamingBatch<I, O>, step: EndedStep<I, O>): void;
  /** It stands between two steps. */
  stood(batch: StreamingBatch<I, O>): void;
  /** While it stands between two steps, a reader has got room or a place has become free. */
  stirred(batch: StreamingBatch<I, O>): void;
}

/**
 * Items that run together as streams. The lane hands each step's tokens to {@link step} and waits for
 * {@link onNext} or {@link onClose}; it ends the batch by {@link complete} or {@link fail}.
 *
 * Sequences are numbered from 0 in the order in which they joined, so that tokens never depend on places in a
 * list that changes. {@link items} are those that have not ended.
 */
export class StreamingBatch<I, O> extends Batch<I, O> {
  override readonly streams = true;
  /** Whether it may take items in between two steps. */
  mayBeJoined = true;
  /** Set by the lane: starts the next step. Must not throw. */
  onNext: ((next: NextStep<I, O>) => void) | undefined;
  /** Set by the lane: ends the handler, which stands between two steps. */
  onClose: (() => void) | undefined;
  readonly #events: StreamingBatchEvents<I, O>;
  /** The same array as `items`. */
  readonly #live: BatchItem<I, O>[];
  /** Every sequence that the handler has, by number. */
  readonly #sequences = new Map<number, BatchItem<I, O>>();
  #nextNumber = 0;
  #phase: 'running' | 'standing' | 'closing' = 'running';
  #stepSize: number;
  #newcomers: readonly BatchItem<I, O>[];
  #hasStepped = false;

  constructor(
    id: number,
    items: readonly BatchItem<I, O>[],
    startedAt: number,
    isolation: Isolation | undefined,
    events: StreamingBatchEvents<I, O>,
  ) {
    const live = [...items];
    super(id, live, startedAt, isolation, () => events.ended(this));
    this.#events = events;
    this.#live = live;
    this.#newcomers = items;
    this.#stepSize = items.length;
    for (const item of items) this.#admit(item);
  }

  /** Only items of this signature may join. */
  readonly signature = this.items[0]!.signature;

  /** What its items' costs add up to. */
  get cost(): number {
    return this.#live.reduce((sum, item) => sum + item.cost, 0);
  }

  /** Whether any of its readers wants another token. */
  get isWanted(): boolean {
    return this.#live.some((item) => item.sink!.hasRoom);
  }

  /** Also when it came to an end because nobody was left to take its first token. */
  override get isInconclusive(): boolean {
    return super.isInconclusive || (this.size === 0 && !this.#hasStepped);
  }

  /**
   * Hands out the tokens of one step. Tokens of sequences that have ended here meanwhile are dropped.
   *
   * @param done whether the handler has come to its end, and the batch with it
   */
  step(entries: readonly StepEntry[], done = false): void {
    if (this.endedAt !== undefined || this.#phase !== 'running') return;
    this.#phase = 'standing';
    this.#hasStepped = true;
    const overrun: BatchItem<I, O>[] = [];
    const ended: BatchItem<I, O>[] = [];
    for (const { sequence, value } of entries) {
      const item = this.#sequences.get(sequence);
      if (item === undefined || item.settled) continue;
      if (value === null || value instanceof Error) {
        this.#release(item);
        ended.push(item);
        if (value === null) item.resolve(undefined as O);
        else item.reject(toItemError(value));
      } else {
        item.begun = true;
        if (!item.sink!.push(value as O)) overrun.push(item);
      }
    }
    const { startedAt } = this;
    this.#events.stepped(this, { size: this.#stepSize, items: this.#newcomers, startedAt, ended, overrun });
    if (done) this.complete();
    else this.#events.stood(this);
  }

  /** Starts the next step, with these items beside the others. */
  next(joined: readonly BatchItem<I, O>[], now: number): void {
    const left: number[] = [];
    for (const [number, item] of this.#sequences) {
      if (!item.settled) continue;
      left.push(number);
      this.#sequences.delete(number);
    }
    const sequences = joined.map((item) => this.#admit(item));
    this.#live.push(...joined);
    this.#phase = 'running';
    this.#newcomers = joined;
    this.#stepSize = this.#live.length;
    this.startedAt = now;
    this.#events.resumed(this);
    this.onNext?.({ left, joined, sequences });
  }

  /** Ends the handler, once no sequence is left. */
  close(): void {
    if (this.#phase !== 'standing') return;
    this.#phase = 'closing';
    this.#events.resumed(this);
    this.onClose?.();
  }

  /** The handler has come to its end, and with it the sequences that are left. */
  override complete(): void {
    if (this.endedAt !== undefined) return;
    const left = [...this.#live];
    this.#events.ended(this);
    for (const item of left) item.resolve(undefined as O);
  }

  override fail(error: unknown): void {
    // A handler may throw because its signal said that nobody is left: that is no failure.
    if (this.size === 0) this.complete();
    else super.fail(error);
  }

  override depart(item: BatchItem<I, O>): void {
    this.#release(item);
    for (const [number, candidate] of this.#sequences) {
      if (candidate === item) this.onDeparture?.(number);
    }
    this.#stir();
  }

  #admit(item: BatchItem<I, O>): number {
    const number = this.#nextNumber++;
    this.#sequences.set(number, item);
    item.sink!.onRoom = () => this.#stir();
    return number;
  }

  #release(item: BatchItem<I, O>): void {
    const index = this.#live.indexOf(item);
    if (index >= 0) this.#live.splice(index, 1);
  }

  #stir(): void {
    if (this.#phase === 'standing' && this.endedAt === undefined) this.#events.stirred(this);
  }
}
