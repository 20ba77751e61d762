import type { ModelOptions } from '#model';
import { readRestOptions } from './model-options-reader.js';
import { OPTION_TABLE } from './option-table.js';

/** Options to change; `null` brings back what the model's author says, or else the default. */
export type ModelOptionChanges = { readonly [name in keyof ModelOptions]?: ModelOptions[name] | null };

/**
 * Options that can change while a version serves. The others are part of how its workers were started, or of how
 * what waits already was measured.
 */
export const LIVE_OPTIONS: ReadonlySet<keyof ModelOptions> = new Set<keyof ModelOptions>([
  'maxBatchSize',
  'preferredBatchSizes',
  'maxWaitMs',
  'window',
  'maxQueueSize',
  'maxQueueDelayMs',
  'maxStreamBuffer',
  'timeoutMs',
  'runTimeoutMs',
  'idempotent',
  'workers',
  'targetLatencyMs',
  'breakerThreshold',
  'breakerRecoveryMs',
  'breakerFailureRate',
  'breakerFailureWindow',
]);

/**
 * Changes as they came from REST: a merge patch (RFC 7396) of the options.
 *
 * @throws {ServingError} `invalid_options`, naming each unknown option and bad value
 */
export function readOptionChanges(rest: Readonly<Record<string, unknown>>): ModelOptionChanges {
  const kept: Record<string, unknown> = { ...rest };
  const cleared: Partial<Record<keyof ModelOptions, null>> = {};
  for (const { name, restName } of OPTION_TABLE) {
    const [outer, inner] = restName.split('.') as [string, string?];
    const value = rest[outer];
    if (value === null) {
      cleared[name] = null;
      delete kept[outer];
    } else if (inner !== undefined && isMapping(value) && value[inner] === null) {
      cleared[name] = null;
      const { [inner]: _, ...others } = kept[outer] as Record<string, unknown>;
      kept[outer] = others;
    }
  }
  return { ...readRestOptions(kept), ...cleared };
}

/** The operator's options after the changes. */
export function applyChanges(
  options: Partial<ModelOptions>,
  changes: ModelOptionChanges,
): Partial<ModelOptions> {
  const entries = Object.entries({ ...options, ...changes });
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined));
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
