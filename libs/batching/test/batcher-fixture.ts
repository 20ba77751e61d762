import {
  DynamicBatcher,
  EagerWindow,
  VirtualClock,
  type BatcherObserver,
  type BatcherOptions,
} from '../src/index.js';

/** Options under which nothing but what a test sets can get in its way. */
export const GENEROUS: BatcherOptions = {
  maxBatchSize: 32,
  maxWaitMs: 10,
  maxQueueSize: 100_000,
  timeoutMs: 1_000_000,
  window: new EagerWindow(),
};

/** A batcher under a virtual clock. */
export function createBatcher<I = number, O = number>(
  options: Partial<BatcherOptions> = {},
  observer: BatcherObserver = {},
): { clock: VirtualClock; batcher: DynamicBatcher<I, O> } {
  const clock = new VirtualClock();
  return { clock, batcher: new DynamicBatcher<I, O>({ ...GENEROUS, ...options }, clock, observer) };
}

/** What became of each promise: its value, or its error's code. */
export function outcomes(promises: readonly Promise<unknown>[]): Promise<unknown[]> {
  return Promise.all(
    promises.map((promise) => promise.catch((error: { code?: string }) => error.code ?? error)),
  );
}
