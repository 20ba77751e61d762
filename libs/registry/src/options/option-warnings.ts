import type { ModelOptions } from '#model';

/** What an operator should know about options that are allowed and yet seldom meant. */
export function optionWarnings({
  maxBatchSize,
  maxQueueSize,
  maxWaitMs,
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
  return warnings;
}
