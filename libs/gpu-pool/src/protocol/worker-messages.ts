import type { BatchedHandlerOptions, BuiltInCost, JsonSchema, ModelInfo } from '#model';
import type { WireError } from './wire-error.js';

/** Where a model's code is. */
export interface ModelSource {
  /** A `file:` URL, or a package specifier that the worker can import. */
  readonly specifier: string;
  /** The export to use. Default: the default export, else the only one that can be a model. */
  readonly exportName?: string;
  /** The handler to use, by its decorated name, where a module has several. */
  readonly handlerName?: string;
}

/** What a worker learns of its model before it starts it. */
export interface Manifest {
  /** What the handler says of itself, without its DTO classes. Empty for a plain function. */
  readonly handler: Partial<Omit<BatchedHandlerOptions, 'input' | 'output' | 'cost'>> & {
    readonly cost?: BuiltInCost;
  };
  readonly input: JsonSchema;
  readonly output: JsonSchema;
}

/** One worker's place. */
export interface WorkerAssignment {
  readonly workerId: number;
  readonly device: string;
  readonly model: ModelInfo;
  /** Most that the costs of a batch may add up to, where the model has a cost function of its own. */
  readonly maxBatchCost: number | undefined;
}

/** What a handler is told of one item, beside its value. */
export interface WireItem {
  readonly requestId: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Milliseconds on the scale of `Date.now()`. */
  readonly deadline: number;
}

/** A batch on its way to a worker. */
export interface RunMessage {
  readonly type: 'run';
  readonly batch: number;
  readonly items: readonly WireItem[];
  /** One value an item. Typed arrays in it are views on one buffer, which is transferred. */
  readonly values: readonly unknown[];
}

/** From the pool to a worker, in this order: load, start, run …, stop. */
export type ToWorker =
  | { readonly type: 'load'; readonly source: ModelSource }
  | { readonly type: 'start'; readonly assignment: WorkerAssignment }
  | RunMessage
  | { readonly type: 'depart'; readonly batch: number; readonly index: number }
  | { readonly type: 'stop' };

/** Results on their way back. */
export interface ResultMessage {
  readonly type: 'result';
  readonly batch: number;
  /** One result an item, `null` where `errors` has an entry. */
  readonly values: readonly unknown[];
  readonly errors: readonly { readonly index: number; readonly error: WireError }[];
}

/** From a worker to its pool. */
export type FromWorker =
  | { readonly type: 'loaded'; readonly manifest: Manifest }
  | { readonly type: 'ready' }
  | { readonly type: 'refused'; readonly error: WireError }
  | ResultMessage
  | { readonly type: 'failed'; readonly batch: number; readonly error: WireError }
  | { readonly type: 'log'; readonly level: LogLevel; readonly message: string; readonly context?: string }
  | { readonly type: 'stopped' };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
