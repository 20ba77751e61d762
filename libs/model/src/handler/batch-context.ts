/** What a handler learns about one item of its batch. */
export interface ItemContext {
  /** The client's `X-Request-Id`, or the one made for it. */
  readonly requestId: string;
  /** The request's `parameters` object, `{}` when it had none. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Aborted when this item's client has left or its deadline has passed. */
  readonly signal: AbortSignal;
  /** When the answer is due, in milliseconds on the scale of `Date.now()`. */
  readonly deadline: number;
}

/** What a handler learns about the batch it is given. */
export interface BatchContext {
  /** The number of the worker that runs this batch, from 0 among the workers of its model version. */
  readonly workerId: number;
  /** `cpu`, `cuda:0`, … */
  readonly device: string;
  /** The model's registered name. */
  readonly model: string;
  /** The model's registered version. */
  readonly version: string;
  /** One entry an item, in the order of the batch. */
  readonly items: readonly ItemContext[];
  /** Aborted when every client of the batch has left or run out of time. */
  readonly signal: AbortSignal;
}
