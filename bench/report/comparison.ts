import { DIRTY_SHARE } from '../measure/foreign-load.js';
import type { Measurement } from '../participants/participant.js';

/** A ratio that a suite reports. */
export interface Comparison {
  /** Name of the participant that is looked at. */
  readonly of: string;
  /** What it is divided by: the slowest of these. */
  readonly to: readonly string[];
  /** The least that is asked for, and at how many connections; elsewhere the ratio is only shown. */
  readonly required?: { readonly atLeast: number; readonly at?: readonly number[] };
}

/** Everything that was measured in one round with one number of connections, by participant. */
export interface Turn {
  readonly round: number;
  readonly connections: number;
  readonly measurements: Readonly<Record<string, Measurement>>;
  /** Share of the machine that others used meanwhile, from 0 to 1. */
  readonly foreignShare: number;
}

/** A ratio as it came out. */
export interface Ratio {
  readonly of: string;
  readonly to: readonly string[];
  readonly connections: number;
  /** One a round: what shares a round ran within seconds of each other. */
  readonly rounds: readonly number[];
  readonly median: number;
  /** Whether others used so much of the machine in most of its rounds that it should be measured again. */
  readonly dirty: boolean;
  readonly required?: number;
}

/** The ratios of one comparison, one a number of connections. */
export function ratiosOf(comparison: Comparison, turns: readonly Turn[]): Ratio[] {
  const { of, to, required } = comparison;
  const counts = [...new Set(turns.map(({ connections }) => connections))];
  return counts.map((connections) => {
    const its = turns.filter((turn) => turn.connections === connections);
    const rounds = its.map(({ measurements }) => {
      const slowest = Math.min(...to.map((name) => measurements[name]!.rate));
      return measurements[of]!.rate / slowest;
    });
    const dirtyRounds = its.filter(({ foreignShare }) => foreignShare > DIRTY_SHARE).length;
    const isRequired =
      required !== undefined && (required.at === undefined || required.at.includes(connections));
    return {
      of,
      to,
      connections,
      rounds,
      median: median(rounds),
      dirty: 2 * dirtyRounds > its.length,
      ...(isRequired ? { required: required.atLeast } : {}),
    };
  });
}

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  if (Number.isInteger(middle)) return (sorted[middle - 1]! + sorted[middle]!) / 2;
  return sorted[Math.floor(middle)]!;
}
