import type { BatchContext } from './batch-context.js';

/** One step of a streaming handler: one entry a sequence. `null` ends a sequence, an `Error` fails it alone. */
export type StepTokens<O = unknown> = readonly (O | null | Error)[];

/** What has changed between two steps of a continuous batch: the value of the handler's `yield`. */
export interface StepChanges<I = unknown> {
  /**
   * Indices, descending, into the list that the handler has just yielded for: sequences that have ended, whose
   * client has left, or whose time is up. The handler drops them from its list.
   */
  readonly ended: readonly number[];
  /** Inputs of new sequences, which the handler appends to its list. */
  readonly joined: readonly I[];
}

/**
 * Runs one batch as a stream: each `yield` gives one token a sequence. It returns when it has nothing more to
 * say; sequences that are left then have ended.
 */
export type StreamHandler<I = never, O = unknown> = (
  batch: I[],
  context: BatchContext,
) => AsyncGenerator<StepTokens<O>, void, StepChanges<I>>;

/** How a streaming model fills its batches: once at their start, or also between steps. */
export type StreamingMode = 'static' | 'continuous';

/** What a handler's options say of streaming; `undefined` for a handler that answers at once. */
export function streamingModeOf(options: {
  readonly streaming?: boolean | undefined;
  readonly continuous?: boolean | undefined;
}): StreamingMode | undefined {
  if (options.continuous === true) return 'continuous';
  return options.streaming === true ? 'static' : undefined;
}

/** Whether `handler` was written as `async function*`, also when it has been bound. */
export function isAsyncGeneratorFunction(handler: unknown): boolean {
  return Object.prototype.toString.call(handler) === '[object AsyncGeneratorFunction]';
}
