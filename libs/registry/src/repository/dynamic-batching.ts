import type { ModelOptions } from '#model';
import type { ConfigurationFields } from './configuration-fields.js';

/** Reads `dynamic_batching`: how batches are formed, and what may wait for one. */
export function readDynamicBatching(fields: ConfigurationFields): Partial<ModelOptions> {
  const batching = fields.message('dynamic_batching');
  if (batching === undefined) return {};
  const preferred = [...new Set(batching.integers('preferred_batch_size'))].sort((a, b) => a - b);
  const delayUs = batching.integer('max_queue_delay_microseconds') ?? 0;
  const policy = batching.message('default_queue_policy');
  const options = {
    ...(preferred.length === 0 ? {} : { preferredBatchSizes: preferred }),
    maxWaitMs: delayUs / 1000,
    ...(policy === undefined ? {} : readQueuePolicy(policy)),
  };
  batching.warnOfRest();
  return options;
}

function readQueuePolicy(policy: ConfigurationFields): Partial<ModelOptions> {
  // To both of them 0 is no limit.
  const maxQueueSize = policy.integer('max_queue_size') ?? 0;
  const timeoutUs = policy.integer('default_timeout_microseconds') ?? 0;
  const isDelay = ['DELAY', '1'].includes(policy.text('timeout_action') ?? '');
  if (isDelay) policy.warn('timeout_action', 'DELAY is not used: a request that is late is refused');
  // Here a client may always say how long it waits.
  policy.ignore('allow_timeout_override');
  policy.warnOfRest();
  return {
    ...(maxQueueSize === 0 ? {} : { maxQueueSize }),
    ...(timeoutUs === 0 || isDelay ? {} : { timeoutMs: timeoutUs / 1000 }),
  };
}
