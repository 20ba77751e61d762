import type { JsonSchema } from '../tensor/tensor-schema.js';
import type { BuiltInCost, ModelOptions } from './model-options.js';

/** A class whose class-validator decorators describe a value. */
export type DtoClass = abstract new (...args: never[]) => object;

/** How a value is described: a DTO class, or a JSON Schema. */
export type ValueDescription = DtoClass | JsonSchema;

/** What a `@BatchedHandler()` says of itself. Whoever registers the model may override any {@link ModelOptions}. */
export interface BatchedHandlerOptions extends Partial<Omit<ModelOptions, 'cost'>> {
  /** Model name: 1–128 of `A–Z a–z 0–9 . _ -`. */
  readonly name: string;
  /** Version label, ordered naturally (`v10` after `v9`). Default `1`. */
  readonly version?: string;
  /** One item's input. Requests that do not fit are refused before they reach a queue. Default: any JSON value. */
  readonly input?: ValueDescription;
  /** One item's output, for the API description. */
  readonly output?: ValueDescription;
  /**
   * What an item counts for against `maxBatchCost`: a built-in measure, or a function of the item. A function runs
   * where the handler runs: a batch above the limit is run in parts there, and an item that alone is above it is
   * refused with 413.
   */
  readonly cost?: BuiltInCost | ((item: never) => number);
  /**
   * Most items that the model can take in one batch, whatever its operator says: an ONNX file, for example, may fix
   * its batch axis. Default: no limit of its own.
   */
  readonly batchSizeLimit?: number;
  /**
   * Inputs as the handler gets them, with tensors made by `tensor()`. Each worker runs them before it serves, alone and
   * in the largest batch, and checks that both give the same: see `selfCheck`.
   */
  readonly warmup?: readonly unknown[];
  /** An input that a reader of the API description can try. */
  readonly example?: unknown;
  /** One line for the API description. */
  readonly description?: string;
  /**
   * Whether the handler is an async generator, whose `yield`s are the steps of a stream: see `StreamHandler`.
   * Default: whether it was written as one.
   */
  readonly streaming?: boolean;
  /** Whether sequences may join and leave a streaming batch between its steps. Default: they only leave. */
  readonly continuous?: boolean;
  /**
   * `worker` (default): the handler runs in worker threads of its own. `inline`: it runs on the thread of the
   * application that provides it; only for handlers that await I/O, never for ones that compute.
   */
  readonly execution?: 'worker' | 'inline';
}
