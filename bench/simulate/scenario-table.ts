import { textTable } from '../report/text-table.js';
import type { RunSummary } from './measurement.js';

const HEADINGS = ['policy', 'mean ms', 'p50', 'p95', 'p99', 'items/s', 'batch', 'on time', 'drops'];

/** @returns one scenario's results as a table in plain text */
export function scenarioTable(results: ReadonlyMap<string, RunSummary>): string {
  return textTable(
    HEADINGS,
    [...results].map(([policy, summary]) => [
      policy,
      summary.meanMs.toFixed(2),
      summary.p50Ms.toFixed(2),
      summary.p95Ms.toFixed(2),
      summary.p99Ms.toFixed(2),
      summary.throughput.toFixed(0),
      summary.meanBatch.toFixed(1),
      `${(100 * summary.onTimeShare).toFixed(1)} %`,
      String(summary.drops),
    ]),
  );
}
