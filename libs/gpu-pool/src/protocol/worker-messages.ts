import type {
  BatchedHandlerOptions,
  BuiltInCost,
  JsonSchema,
  ModelInfo,
  ModelPlace,
  SelfCheck,
} from '#model';
import type { WireError } from './wire-error.js';

/** Where a model's code is. */
export interface ModelSource {
  /** A `file:` URL, or a package specifier that the worker can import. */
  readonly specifier: string;
  /** The export to use. Default: the default export, else the only one that can be a model. */
  readonly exportName?: string;
  /** The handler to use, by its decorated name, where a module has several. */
  readonly handlerName?: string;
  /** What the export is given to make the model of, where it is a `ModelFactory`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** What a worker learns of its model before it starts it. */
export interface Manifest {
  /** What the handler says of itself, without its DTO classes. Empty for a plain function. */
  readonly handler: Partial<Omit<BatchedHandlerOptions, 'input' | 'output' | 'cost' | 'warmup'>> & {
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
  /** The largest batch that it may be given, with which it is tried before it is ready. */
  readonly maxBatchSize: number;
  readonly selfCheck: SelfCheck;
  /** Whether the memory that it uses is to be told after each batch. Default: no. */
  readonly tellsMemory?: boolean;
}

/** What a handler is told of one item, beside its value. */
export interface WireItem {
  readonly requestId: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Milliseconds on the scale of `Date.now()`. */
  readonly deadline: number;
  /** Whether its value is sent as `v8.serialize` writes it. */
  readonly isSerialized?: true;
}

/** A batch on its way to a worker. */
export interface RunMessage {
  readonly type: 'run';
  readonly batch: number;
  readonly items: readonly WireItem[];
  /** One value an item. Typed arrays in it are views on one buffer, which is transferred. */
  readonly values: readonly unknown[];
}

/** Lets a streaming batch, which stands between two steps, go on. */
export interface NextStepMessage {
  readonly type: 'next';
  readonly batch: number;
  /** Numbers of the sequences that are over; the first `run` numbers its items from 0. */
  readonly left: readonly number[];
  /** Numbers of the sequences that join. */
  readonly sequences: readonly number[];
  readonly items: readonly WireItem[];
  readonly values: readonly unknown[];
}

/** From the pool to a worker, in this order: load, start, run …, stop; next … and close belong to a streaming run. */
export type ToWorker =
  | { readonly type: 'load'; readonly source: ModelSource; readonly place: ModelPlace }
  | { readonly type: 'start'; readonly assignment: WorkerAssignment }
  | RunMessage
  /** News about the batch that runs: the client of an item, or of a sequence by its number, has left. */
  | { readonly type: 'depart'; readonly batch: number; readonly index: number }
  | NextStepMessage
  /** Ends a streaming batch, which stands between two steps and has no sequence left. */
  | { readonly type: 'close'; readonly batch: number }
  /** Finish what runs, close the model, and end. */
  | { readonly type: 'stop' }
  /** End at once: the worker has been given up. */
  | { readonly type: 'quit' };

/** Results on their way back. */
export interface ResultMessage {
  readonly type: 'result';
  readonly batch: number;
  /** One result an item, `null` where `errors` has an entry. */
  readonly values: readonly unknown[];
  readonly errors: readonly { readonly index: number; readonly error: WireError }[];
}

/** The tokens of one step on their way back. The batch then stands until `next` or `close`. */
export interface StepMessage {
  readonly type: 'step';
  readonly batch: number;
  /** Numbers of the sequences that the entries belong to. */
  readonly sequences: readonly number[];
  /** One entry a sequence: its token, or `null` for its end and where `errors` has an entry. */
  readonly values: readonly unknown[];
  readonly errors: ResultMessage['errors'];
  /** Whether the handler has come to its end. */
  readonly done: boolean;
}

/** From a worker to its pool. */
export type FromWorker =
  | { readonly type: 'loaded'; readonly manifest: Manifest }
  /** The model has started. Batches must not be larger than `batchSizeLimit`. */
  | { readonly type: 'ready'; readonly batchSizeLimit: number }
  | { readonly type: 'refused'; readonly error: WireError }
  | ResultMessage
  | StepMessage
  /** A streaming batch has been closed. */
  | { readonly type: 'closed'; readonly batch: number }
  | { readonly type: 'failed'; readonly batch: number; readonly error: WireError }
  /** Told before the end of each batch, where it is asked for: what the worker's memory holds. */
  | { readonly type: 'memory'; readonly bytes: number }
  | { readonly type: 'log'; readonly level: LogLevel; readonly message: string; readonly context?: string }
  | { readonly type: 'stopped' };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
