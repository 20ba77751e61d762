import type { ModelOptions } from '#model';

/** One option of a model: its two names and what it may be. */
export interface OptionDescription {
  /** Its name in TypeScript. */
  readonly name: keyof ModelOptions;
  /** Its name in REST and in the configuration file; `a.b` stands for the member `b` of the mapping `a`. */
  readonly restName: string;
  /** REST takes times in seconds, TypeScript in milliseconds. */
  readonly seconds?: true;
  /** JSON Schema of its value; for times, in seconds. */
  readonly schema: Readonly<Record<string, unknown>>;
}

const count = (maximum: number) => ({ type: 'integer', minimum: 1, maximum });
const ascending = (maximum: number) => ({
  type: 'array',
  items: count(maximum),
  minItems: 1,
  uniqueItems: true,
  ascending: true,
});
const seconds = (minimum: number, maximum: number) => ({ type: 'number', minimum, maximum });

/** Every option of a model that an operator may set. */
export const OPTION_TABLE: readonly OptionDescription[] = [
  { name: 'maxBatchSize', restName: 'max_batch_size', schema: count(65_536) },
  { name: 'maxBatchCost', restName: 'max_batch_cost', schema: { type: 'number', exclusiveMinimum: 0 } },
  { name: 'cost', restName: 'cost', schema: { enum: ['bytes', 'elements', 'length'] } },
  { name: 'preferredBatchSizes', restName: 'preferred_batch_sizes', schema: ascending(65_536) },
  { name: 'lengthBuckets', restName: 'length_buckets', schema: ascending(2 ** 31 - 1) },
  {
    name: 'matchParameters',
    restName: 'match_parameters',
    schema: { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
  },
  { name: 'maxWaitMs', restName: 'max_wait_time', seconds: true, schema: seconds(0, 60) },
  { name: 'window', restName: 'window', schema: { type: 'string' } },
  { name: 'maxQueueSize', restName: 'max_queue_size', schema: count(1_000_000) },
  { name: 'maxQueueDelayMs', restName: 'max_queue_delay', seconds: true, schema: seconds(0, 3600) },
  { name: 'maxStreamBuffer', restName: 'max_stream_buffer', schema: count(1_000_000) },
  { name: 'timeoutMs', restName: 'timeout', seconds: true, schema: seconds(0.001, 86_400) },
  { name: 'targetLatencyMs', restName: 'target_latency', seconds: true, schema: seconds(0.001, 3600) },
  { name: 'workers', restName: 'workers', schema: count(256) },
  { name: 'isolation', restName: 'isolation', schema: { enum: ['thread', 'process'] } },
  { name: 'idempotent', restName: 'idempotent', schema: { type: 'boolean' } },
  { name: 'runTimeoutMs', restName: 'run_timeout', seconds: true, schema: seconds(0.001, 86_400) },
  { name: 'loadTimeoutMs', restName: 'load_timeout', seconds: true, schema: seconds(0.1, 86_400) },
  { name: 'selfCheck', restName: 'self_check', schema: { enum: ['refuse', 'limit', 'off'] } },
  {
    name: 'devices',
    restName: 'devices',
    schema: { type: 'array', items: { type: 'string', pattern: '^(cpu|cuda:\\d+)$' }, minItems: 1 },
  },
  { name: 'recycleBatches', restName: 'recycle.max_batches', schema: count(2 ** 31 - 1) },
  { name: 'recycleAgeMs', restName: 'recycle.max_age', seconds: true, schema: seconds(1, 31_536_000) },
  { name: 'recycleMemoryBytes', restName: 'recycle.max_memory', schema: count(2 ** 44) },
  { name: 'breakerThreshold', restName: 'breaker.threshold', schema: count(1_000_000) },
  {
    name: 'breakerRecoveryMs',
    restName: 'breaker.recovery_time',
    seconds: true,
    schema: seconds(0.01, 86_400),
  },
  {
    name: 'breakerFailureRate',
    restName: 'breaker.failure_rate',
    schema: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
  },
  { name: 'breakerFailureWindow', restName: 'breaker.failure_window', schema: count(100_000) },
];
