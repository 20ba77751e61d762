import { parseArgs } from 'node:util';
import { SUITE_NAMES, type SuiteName } from './suites/suite.js';

/** What one call of the benchmark measures. */
export interface BenchOptions {
  readonly suites: readonly SuiteName[];
  /** Length of one measurement, in whole seconds. */
  readonly seconds: number;
  /** How often every measurement is repeated; participants take turns within a round. */
  readonly rounds: number;
  /** Numbers of connections; `undefined` for those of each suite. */
  readonly connections: readonly number[] | undefined;
  /** File to write the results to; `undefined` for one in `bench/results`. */
  readonly json: string | undefined;
}

const USAGE = `usage: npm run bench -- [--only ${SUITE_NAMES.join(',')}] [--seconds N] [--rounds N] [--connections 1,64] [--json FILE]`;

/** @throws {RangeError} with a line for the caller, when an argument is unknown or cannot be */
export function readOptions(args: readonly string[]): BenchOptions {
  const { only, seconds, rounds, connections, json } = parse(args);
  return {
    suites: only === undefined ? SUITE_NAMES : only.split(',').map(suiteName),
    seconds: wholeNumber('--seconds', seconds),
    rounds: wholeNumber('--rounds', rounds),
    connections: connections?.split(',').map((text) => wholeNumber('--connections', text)),
    json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        seconds: { type: 'string', default: '2' },
        rounds: { type: 'string', default: '3' },
        connections: { type: 'string' },
        json: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new RangeError(`${(error as Error).message}\n${USAGE}`, { cause: error });
  }
}

function suiteName(text: string): SuiteName {
  const name = SUITE_NAMES.find((known) => known === text);
  if (name === undefined) throw new RangeError(`'${text}' is not a suite\n${USAGE}`);
  return name;
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new RangeError(`${option} must be a whole number above 0, not '${text}'\n${USAGE}`);
}
