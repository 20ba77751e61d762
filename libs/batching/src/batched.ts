import type { BatchHandler } from '#model';
import { DEFAULT_MODEL_OPTIONS } from '#model';
import type { SubmitOptions } from './batcher-options.js';
import type { Clock } from './clock/clock.js';
import { SystemClock } from './clock/system-clock.js';
import { DynamicBatcher } from './dynamic-batcher.js';
import { InlineLane } from './lane/inline-lane.js';
import type { WindowPolicy } from './window/window-policy.js';
import { WindowPolicies } from './window/window-policies.js';

/** Settings of {@link batched}; each has the default that a model has. */
export interface BatchedOptions {
  readonly maxBatchSize?: number;
  readonly maxWaitMs?: number;
  readonly maxQueueSize?: number;
  readonly timeoutMs?: number;
  /** `auto`, `eager`, `fixed`, or a policy of your own. What that throws becomes a warning of the process. */
  readonly window?: string | WindowPolicy;
  /** Batches that may run at once, ≥ 1. Default 1. */
  readonly concurrency?: number;
  readonly clock?: Clock;
}

/** Calls the handler for one item; batching happens by itself. */
export type BatchedFunction<I, O> = (item: I, options?: SubmitOptions) => Promise<O>;

/**
 * Wraps a function of many items into a function of one, without any framework.
 *
 * @example
 * ```ts
 * const embed = batched(async (texts: string[]) => api.embedAll(texts), { maxBatchSize: 100 });
 * const vector = await embed('one text');
 * ```
 */
export function batched<I, O>(
  handler: BatchHandler<I, O>,
  options: BatchedOptions = {},
): BatchedFunction<I, O> {
  const { window = DEFAULT_MODEL_OPTIONS.window, concurrency = 1, clock = new SystemClock() } = options;
  const batcher = new DynamicBatcher<I, O>(
    {
      maxBatchSize: options.maxBatchSize ?? DEFAULT_MODEL_OPTIONS.maxBatchSize,
      maxWaitMs: options.maxWaitMs ?? DEFAULT_MODEL_OPTIONS.maxWaitMs,
      maxQueueSize: options.maxQueueSize ?? DEFAULT_MODEL_OPTIONS.maxQueueSize,
      timeoutMs: options.timeoutMs ?? DEFAULT_MODEL_OPTIONS.timeoutMs,
      window: typeof window === 'string' ? new WindowPolicies().create(window) : window,
    },
    clock,
    { windowFailed: (error) => process.emitWarning(`a window policy failed: ${String(error)}`) },
  );
  for (let workerId = 0; workerId < concurrency; workerId++) {
    const owner = { workerId, device: 'cpu', model: handler.name || 'batched', version: '1' };
    batcher.addLane(new InlineLane({ handle: handler }, owner));
  }
  return (item, submitOptions) => batcher.submit(item, submitOptions);
}
