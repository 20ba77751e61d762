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

/** One model version as guards, interceptors and transports see it. */
export interface ServedModel {
  readonly name: string;
  readonly version: string;
  /** Throws the `ServingError` with which a request for `count` items (default 1) must be refused now. */
  assertAdmits(count?: number): void;
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
}

/** Finds models. `registry` provides it; guards and interceptors need no more than this to work anywhere. */
export interface ModelDirectory {
  /**
   * @param name model name
   * @param version version label; left out for the latest ready one
   * @throws {ServingError} `model_not_found` or `version_not_found`
   */
  resolve(name: string, version?: string): ServedModel;
}
