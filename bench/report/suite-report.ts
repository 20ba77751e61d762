import { DIRTY_SHARE } from '../measure/foreign-load.js';
import type { Measurement } from '../participants/participant.js';
import type { Suite } from '../suites/suite.js';
import { median, ratiosOf, type Ratio, type Turn } from './comparison.js';
import { textTable } from './text-table.js';

const NOTHING = '–';

/** What came out of one suite. */
export class SuiteReport {
  readonly ratios: readonly Ratio[];

  constructor(
    readonly suite: Suite,
    readonly turns: readonly Turn[],
  ) {
    this.ratios = suite.comparisons.flatMap((comparison) => ratiosOf(comparison, turns));
  }

  /** Requests that failed, in all of it. */
  get failed(): number {
    return this.turns
      .flatMap(({ measurements }) => Object.values(measurements))
      .reduce((sum, { failed }) => sum + failed, 0);
  }

  toString(): string {
    return [`\n${this.suite.title}\n`, this.absolutes(), '', this.relations(), this.surroundings()].join(
      '\n',
    );
  }

  toJson(): object {
    return { title: this.suite.title, turns: this.turns, ratios: this.ratios };
  }

  private absolutes(): string {
    const header = [
      '',
      'conn.',
      'items/s',
      'range',
      'p50 ms',
      'p90',
      'p99',
      'CPU µs',
      'HTTP µs',
      'batch',
      'failed',
    ];
    const counts = [...new Set(this.turns.map(({ connections }) => connections))];
    const rows = counts.flatMap((connections) =>
      this.suite.participants.map(({ name }) => {
        const turns = this.turns.filter((turn) => turn.connections === connections);
        return absolute(
          name,
          connections,
          turns.map(({ measurements }) => measurements[name]!),
        );
      }),
    );
    return textTable(header, rows);
  }

  private relations(): string {
    const rows = this.ratios.map(({ of, to, connections, rounds, median: middle, dirty, required }) => [
      `${of} ÷ ${to.length === 1 ? to[0]! : `min(${to.join(', ')})`}`,
      String(connections),
      middle.toFixed(2),
      `${Math.min(...rounds).toFixed(2)}–${Math.max(...rounds).toFixed(2)}`,
      required === undefined ? '' : `≥ ${required.toFixed(2)}`,
      required === undefined ? '' : (middle >= required ? 'met' : 'MISSED') + (dirty ? ', dirty' : ''),
    ]);
    return textTable(['ratio', 'conn.', 'median', 'range', 'asked', ''], rows);
  }

  private surroundings(): string {
    const shares = this.turns.map(({ foreignShare }) => foreignShare);
    const dirty = shares.filter((share) => share > DIRTY_SHARE).length;
    return (
      `\nother processes used ${percent(median(shares))} of the machine (median), at most ${percent(Math.max(...shares))}; ` +
      `${dirty} of ${shares.length} turns are dirty (above ${percent(DIRTY_SHARE)})`
    );
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function absolute(name: string, connections: number, measured: readonly Measurement[]): string[] {
  const rates = measured.map(({ rate }) => rate);
  const middle = (pick: (measurement: Measurement) => number | undefined, digits: number) => {
    const values = measured.map(pick).filter((value) => value !== undefined);
    return values.length === 0 ? NOTHING : median(values).toFixed(digits);
  };
  return [
    name,
    String(connections),
    median(rates).toFixed(0),
    `${Math.min(...rates).toFixed(0)}–${Math.max(...rates).toFixed(0)}`,
    middle(({ latencyMs }) => latencyMs?.p50, 2),
    middle(({ latencyMs }) => latencyMs?.p90, 2),
    middle(({ latencyMs }) => latencyMs?.p99, 2),
    middle(({ cpuMicros }) => cpuMicros?.all, 0),
    middle(({ cpuMicros }) => cpuMicros?.http, 0),
    middle(({ batchSize }) => batchSize, 1),
    String(measured.reduce((sum, { failed }) => sum + failed, 0)),
  ];
}
