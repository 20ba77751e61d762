import type { ModelOptions } from '#model';

/** What an operator should know about options that are allowed and yet seldom meant. */
export function optionWarnings({
  maxBatchSize,
  maxQueueSize,
  maxWaitMs,
  maxQueueDelayMs = 0,
  targetLatencyMs = 0,
  timeoutMs,
  preferredBatchSizes,
}: ModelOptions): string[] {
  const warnings: string[] = [];
  if (maxQueueSize < maxBatchSize) {
    warnings.push(
      `max_queue_size ${maxQueueSize} keeps batches at ${maxQueueSize}, below max_batch_size ${maxBatchSize}`,
    );
  }
  if (maxWaitMs > 1000) {
    warnings.push(`max_wait_time is ${maxWaitMs / 1000} seconds: REST takes seconds, not milliseconds`);
  }
  const tooLarge = preferredBatchSizes?.filter((size) => size > maxBatchSize) ?? [];
  if (tooLarge.length > 0) {
    warnings.push(`preferred_batch_sizes ${tooLarge.join(', ')} are above max_batch_size ${maxBatchSize}`);
  }
  if (Math.max(maxQueueDelayMs, targetLatencyMs) > timeoutMs) {
    const name = maxQueueDelayMs > timeoutMs ? 'max_queue_delay' : 'target_latency';
    warnings.push(`${name} is above timeout, ${timeoutMs / 1000} seconds, and so has no effect`);
  }
  return warnings;
}
