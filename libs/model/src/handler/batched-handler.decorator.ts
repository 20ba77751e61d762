import type { BatchContext } from './batch-context.js';
import type { BatchedHandlerOptions } from './batched-handler-options.js';
import { isAsyncGeneratorFunction } from './stream-handler.js';

/**
 * Runs one batch: receives an array, also for a single item, and returns one result an item in the same
 * order. A slot may hold an `Error`: only that item's client gets it.
 */
export type BatchHandler<I = never, O = unknown> = (
  batch: I[],
  context: BatchContext,
) => readonly (O | Error)[] | Promise<readonly (O | Error)[]>;

/** `predict` of a model with a life cycle: takes what its `batch` makes, returns what its `unbatch` splits. */
export type LifeCyclePredict = (batch: never, context: BatchContext) => unknown;

// Symbol.for, so that a model package which brings its own copy of this one is still recognised.
const BATCHED_HANDLER = Symbol.for('smartbatch.batched-handler');

/**
 * Makes a method of an injectable provider a model.
 *
 * @example
 * ```ts
 * @Injectable()
 * class Doubler {
 *   @BatchedHandler({ name: 'double', maxBatchSize: 64 })
 *   double(batch: number[]): number[] {
 *     return batch.map((n) => 2 * n);
 *   }
 * }
 * ```
 */
export function BatchedHandler(options: BatchedHandlerOptions) {
  return <H extends BatchHandler | LifeCyclePredict>(
    _target: object,
    _property: string | symbol,
    descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    markBatchedHandler(descriptor.value!, options);
  };
}

/** Gives a plain function the options that `@BatchedHandler()` gives a method, and returns it. */
export function markBatchedHandler<H extends BatchHandler | LifeCyclePredict>(
  handler: H,
  options: BatchedHandlerOptions,
): H {
  const streaming = options.continuous === true || isAsyncGeneratorFunction(handler);
  const value = Object.freeze({ ...(streaming ? { streaming } : {}), ...options });
  Object.defineProperty(handler, BATCHED_HANDLER, { value });
  return handler;
}

/** The options that a method or function was marked with, or `undefined` for any other value. */
export function batchedHandlerOptions(handler: unknown): BatchedHandlerOptions | undefined {
  if (typeof handler !== 'function') return undefined;
  return (handler as unknown as Record<symbol, BatchedHandlerOptions | undefined>)[BATCHED_HANDLER];
}
