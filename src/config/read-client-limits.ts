import type { ClientLimits } from '#admission';
import { SettingError } from './setting-error.js';

/** What the limits of a client are called in the configuration. */
export const CLIENT_LIMIT_NAMES = ['max_in_flight', 'max_rate', 'burst'] as const;

/**
 * Reads the limits of an API key; `undefined` where it has none.
 *
 * @param at name of the key's place in the configuration
 * @throws {SettingError} for a value that cannot be
 */
export function readClientLimits(
  values: Readonly<Record<string, unknown>>,
  at: string,
): ClientLimits | undefined {
  const { max_in_flight, max_rate, burst } = values;
  if (max_in_flight === undefined && max_rate === undefined && burst === undefined) return undefined;
  if (burst !== undefined && max_rate === undefined) {
    throw new SettingError(
      `${at}.burst says how much more than max_rate may come at once: it needs max_rate`,
    );
  }
  return {
    maxInFlight: read(max_in_flight, isCount, `${at}.max_in_flight must be an integer above 0`),
    maxRate: read(max_rate, isRate, `${at}.max_rate must be a number of requests a second above 0`),
    burst: read(burst, isCount, `${at}.burst must be an integer above 0`),
  };
}

function read(
  value: unknown,
  isRight: (value: unknown) => value is number,
  message: string,
): number | undefined {
  if (value === undefined || isRight(value)) return value;
  throw new SettingError(`${message}, not ${JSON.stringify(value)}`);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isRate(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) > 0;
}
