import { AUTO, FIXED_SETTINGS } from './policies.js';
import type { Scenario } from './scenario.js';
import { simulate, type SimulatedPolicy } from './simulation.js';

/** How `auto` did in one scenario. */
export interface GridResult {
  readonly scenario: Scenario;
  readonly autoMs: number;
  readonly bestMs: number;
  /** The fixed setting with the least mean latency. */
  readonly best: string;
  /** Mean latency of `auto` ÷ that of the best fixed setting. */
  readonly ratio: number;
}

/** Compares a policy with the best of the fixed settings in one scenario. */
export function compareWithFixed(scenario: Scenario, policy: SimulatedPolicy = AUTO): GridResult {
  let best = '';
  let bestMs = Infinity;
  for (const setting of FIXED_SETTINGS) {
    const { meanMs } = simulate(scenario, setting);
    if (meanMs < bestMs) [best, bestMs] = [setting.name, meanMs];
  }
  const autoMs = simulate(scenario, policy).meanMs;
  return { scenario, autoMs, bestMs, best, ratio: autoMs / bestMs };
}

/** @returns a line on one scenario */
export function describeResult({ scenario, autoMs, bestMs, best, ratio }: GridResult): string {
  const numbers = `auto ${autoMs.toFixed(2).padStart(7)}  best ${bestMs.toFixed(2).padStart(7)} (${best})`;
  return `${ratio.toFixed(3)}  ${scenario.name.padEnd(48)}  ${numbers}`;
}

/** @returns what all scenarios together say, over all and by the number of lanes */
export function summarise(results: readonly GridResult[]): string {
  const laneCounts = [...new Set(results.map(({ scenario }) => scenario.lanes))];
  return [
    line('all', results),
    ...laneCounts.map((lanes) =>
      line(
        `${lanes} ${lanes === 1 ? 'lane' : 'lanes'}`,
        results.filter(({ scenario }) => scenario.lanes === lanes),
      ),
    ),
  ].join('\n');
}

function line(label: string, results: readonly GridResult[]): string {
  const ratios = results.map(({ ratio }) => ratio).sort((a, b) => a - b);
  const share = (bound: number) => (100 * ratios.filter((ratio) => ratio <= bound).length) / ratios.length;
  return [
    `${label.padEnd(8)} ${String(ratios.length).padStart(4)} scenarios`,
    `within 1.02: ${share(1.02).toFixed(1)} %`,
    `within 1.05: ${share(1.05).toFixed(1)} %`,
    `median ${ratios[ratios.length >> 1]!.toFixed(3)}`,
    `best ${ratios[0]!.toFixed(3)}`,
    `worst ${ratios.at(-1)!.toFixed(3)}`,
  ].join(', ');
}
