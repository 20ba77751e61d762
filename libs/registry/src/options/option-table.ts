import type { ModelOptions } from '#model';

/** One option of a model: its two names and what it may be. */
export interface OptionDescription {
  /** Its name in TypeScript. */
  readonly name: keyof ModelOptions;
  /** Its name in REST and in the configuration file. */
  readonly restName: string;
  /** REST takes times in seconds, TypeScript in milliseconds. */
  readonly seconds?: true;
  /** JSON Schema of its value; for times, in seconds. */
  readonly schema: Readonly<Record<string, unknown>>;
}

const count = (maximum: number) => ({ type: 'integer', minimum: 1, maximum });
const seconds = (minimum: number, maximum: number) => ({ type: 'number', minimum, maximum });

/** Every option of a model that an operator may set. */
export const OPTION_TABLE: readonly OptionDescription[] = [
  { name: 'maxBatchSize', restName: 'max_batch_size', schema: count(65_536) },
  { name: 'maxWaitMs', restName: 'max_wait_time', seconds: true, schema: seconds(0, 60) },
  { name: 'window', restName: 'window', schema: { type: 'string' } },
  { name: 'maxQueueSize', restName: 'max_queue_size', schema: count(1_000_000) },
  { name: 'timeoutMs', restName: 'timeout', seconds: true, schema: seconds(0.001, 86_400) },
  { name: 'targetLatencyMs', restName: 'target_latency', seconds: true, schema: seconds(0.001, 3600) },
  { name: 'workers', restName: 'workers', schema: count(256) },
  { name: 'loadTimeoutMs', restName: 'load_timeout', seconds: true, schema: seconds(0.1, 86_400) },
  {
    name: 'devices',
    restName: 'devices',
    schema: { type: 'array', items: { type: 'string', pattern: '^(cpu|cuda:\\d+)$' }, minItems: 1 },
  },
  { name: 'breakerThreshold', restName: 'breaker_threshold', schema: count(1_000_000) },
  {
    name: 'breakerRecoveryMs',
    restName: 'breaker_recovery_time',
    seconds: true,
    schema: seconds(0.01, 86_400),
  },
];
