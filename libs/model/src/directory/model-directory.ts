import type { ServingError } from '../errors/serving-error.js';
import type { JsonSchema } from '../tensor/tensor-schema.js';
import type { CancelSignal } from './cancel-signal.js';

/** Injects the {@link ModelDirectory}. */
export const MODEL_DIRECTORY = Symbol.for('smartbatch.model-directory');

/** What a caller says about one item besides its value. */
export interface PredictOptions {
  /** An id for logs and for the handler. Made when left out. */
  readonly requestId?: string;
  /** Options for the handler, one set an item. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Time from now within which the answer is due, in milliseconds; at most the model's own `timeoutMs`. */
  readonly timeoutMs?: number;
  /** 1 is the highest, 10 the lowest; 0 or left out is the default, 5. */
  readonly priority?: number;
  /** Withdraws the item. */
  readonly signal?: CancelSignal;
}

/** The items that one request asks about. */
export interface RequestedItems {
  readonly items: readonly unknown[];
  /** Whether the client wants a list back. */
  readonly isList: boolean;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * The tokens of one item. It has one reader, who sets the pace; `return()`, or leaving a `for await` loop, ends the
 * item at once. `next()` throws the `ServingError` with which the item ended.
 */
export interface ItemStream<T = unknown> extends AsyncIterableIterator<T, undefined> {
  /** Told once, when no more tokens come in, whether or not all of them have been read. */
  onEnded: ((error: ServingError | undefined) => void) | undefined;
  return(): Promise<IteratorResult<T, undefined>>;
}

/** One model version as guards, interceptors and transports see it. */
export interface ServedModel {
  readonly name: string;
  readonly version: string;
  /** Description of one item. */
  readonly input: JsonSchema;
  /** Throws the `ServingError` with which a request for `count` items (default 1) should be refused now. */
  assertAdmits(count?: number, request?: Pick<PredictOptions, 'timeoutMs' | 'priority'>): void;
  /**
   * Keeps a place in the queue for an admitted request whose body takes long to decode, so that none is decoded in vain.
   *
   * @returns gives the place back
   */
  holdPlace(): () => void;
  /** Throws the `ServingError` `breaker_open` while the circuit breaker refuses, or returns. */
  assertBreakerCloses(): void;
  /**
   * Checks a decoded body, `{ data, parameters? }` or `{ inputs, parameters? }`, against the model's input
   * description, and returns its items as the handler wants them.
   *
   * @throws {ServingError} `invalid_input`, naming the faulty field
   */
  validate(body: unknown): RequestedItems;
  /** Queues a validated item and settles with its own result. */
  predict(item: unknown, options?: PredictOptions): Promise<unknown>;
  /** Queues a validated item and gives its tokens one by one; of a model that does not stream, its one result. */
  stream(item: unknown, options?: PredictOptions): ItemStream;
}

/** What of a request tells which client it comes from, where a model's traffic is split. */
export interface RoutingRequest {
  readonly id?: string;
  /** By names in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Finds models. `registry` provides it; guards and interceptors need no more than this to work anywhere. */
export interface ModelDirectory {
  /**
   * @param name model name
   * @param version version label; left out for the one that the model's traffic rules say, else the latest ready one
   * @param request keeps a client on one version, where the rules split traffic
   * @throws {ServingError} `model_not_found` or `version_not_found`
   */
  resolve(name: string, version?: string, request?: RoutingRequest): ServedModel;
}
