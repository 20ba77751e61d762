import type { ServingError } from '#model';
import type { TokenSink } from '../stream/token-sink.js';

/** Where an item is between its arrival and its end. */
export type ItemState = 'queued' | 'running' | 'settled';

/** What a {@link BatchItem} is made of. */
export interface BatchItemInit<I, O> {
  readonly value: I;
  readonly requestId: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Rises with each arrival: equal deadlines leave in this order. */
  readonly sequence: number;
  /** Clock time, in milliseconds. */
  readonly arrival: number;
  /** Clock time by which the item must have ended, in milliseconds. */
  readonly deadline: number;
  /** Only items of one signature share a batch. */
  readonly signature: string;
  /** 1 is the highest. */
  readonly priority: number;
  /** What the item counts for against the cost limit of a batch. */
  readonly cost: number;
  /** Where its tokens go, in a batcher whose handler streams. */
  readonly sink?: TokenSink<O> | undefined;
  readonly resolve: (result: O) => void;
  readonly reject: (error: ServingError) => void;
}

/** One client's input on its way through the batcher. It settles exactly once. */
export class BatchItem<I, O> {
  readonly value: I;
  readonly requestId: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly sequence: number;
  readonly arrival: number;
  readonly deadline: number;
  readonly signature: string;
  readonly priority: number;
  readonly cost: number;
  readonly sink: TokenSink<O> | undefined;
  state: ItemState = 'queued';
  /** Whether its client has got a part of its result, so that it can't run again. */
  begun = false;
  /** Why it ended without a result. */
  error: ServingError | undefined;
  /** Place in the queue's heap. */
  queuePosition = -1;
  /** Place in the deadline heap. */
  deadlinePosition = -1;
  /** Neighbours in order of arrival. */
  previous: BatchItem<I, O> | undefined;
  next: BatchItem<I, O> | undefined;
  /** Undoes what was set up to notice a cancellation. */
  onSettled: (() => void) | undefined;
  /** Tells the running batch that this item has ended before it. */
  onDeparted: (() => void) | undefined;
  readonly #resolve: (result: O) => void;
  readonly #reject: (error: ServingError) => void;

  constructor(init: BatchItemInit<I, O>) {
    this.value = init.value;
    this.requestId = init.requestId;
    this.parameters = init.parameters;
    this.sequence = init.sequence;
    this.arrival = init.arrival;
    this.deadline = init.deadline;
    this.signature = init.signature;
    this.priority = init.priority;
    this.cost = init.cost;
    this.sink = init.sink;
    this.#resolve = init.resolve;
    this.#reject = init.reject;
  }

  get settled(): boolean {
    return this.state === 'settled';
  }

  /** Ends the item with its result. Does nothing when it has ended before. */
  resolve(result: O): void {
    if (this.#end()) this.#resolve(result);
  }

  /** Ends the item with an error. Does nothing when it has ended before. */
  reject(error: ServingError): void {
    if (!this.#end()) return;
    this.error = error;
    this.#reject(error);
  }

  #end(): boolean {
    if (this.state === 'settled') return false;
    this.state = 'settled';
    this.onSettled?.();
    return true;
  }
}
