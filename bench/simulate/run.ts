import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareWithFixed, describeResult, summarise } from './grid-report.js';
import type { RunSummary } from './measurement.js';
import { AUTO, FIXED_SETTINGS } from './policies.js';
import { OTHER_GRID, REPORT_GRID, scenariosOf } from './report-grid.js';
import type { Scenario } from './scenario.js';
import { scenarioTable } from './scenario-table.js';
import { SHOWCASE } from './showcase.js';
import { simulate } from './simulation.js';
import { renderPlot } from './svg-plot.js';

const OUTPUT = 'bench/results/simulate';
const USAGE = `npm run simulate                    a scenario of each kind: a table and a plot
npm run simulate -- --report         auto ÷ best fixed setting over the grid
npm run simulate -- --report other   the same over another grid: other laws, turn-arounds, lanes`;

const [flag, grid = 'main'] = process.argv.slice(2);
if (flag === undefined) showScenarios();
else if (flag === '--report' && grid === 'main') report(scenariosOf(REPORT_GRID));
else if (flag === '--report' && grid === 'other') report(scenariosOf(OTHER_GRID));
else {
  console.error(USAGE);
  process.exitCode = 2;
}

function showScenarios(): void {
  mkdirSync(OUTPUT, { recursive: true });
  for (const scenario of SHOWCASE) {
    const results = new Map(
      [...FIXED_SETTINGS, AUTO].map((policy) => [policy.name, simulate(scenario, policy)]),
    );
    console.log(`\n── ${scenario.name}\n${scenarioTable(results)}`);
    const file = join(OUTPUT, `${scenario.name.replaceAll(/[^a-z0-9.]+/gi, '-')}.svg`);
    writeFileSync(file, plotOf(scenario, results));
  }
  console.log(`\nplots: ${OUTPUT}/`);
}

function plotOf(scenario: Scenario, results: ReadonlyMap<string, RunSummary>): string {
  const lines = [...results].map(([name, { latencies }]) => ({
    name,
    // The last percent would stretch the axis beyond use; the table has it.
    points: Array.from({ length: 100 }, (_, percent) => {
      const index = Math.floor((percent / 100) * latencies.length);
      return [latencies[index] ?? 0, percent] as const;
    }),
  }));
  return renderPlot({ title: scenario.name, xLabel: 'latency, ms', yLabel: 'answers within it, %', lines });
}

function report(scenarios: readonly Scenario[]): void {
  const results = scenarios.map((scenario) => {
    const result = compareWithFixed(scenario);
    console.log(describeResult(result));
    return result;
  });
  const worst = [...results].sort((a, b) => b.ratio - a.ratio).slice(0, 10);
  console.log(
    `\nthe worst\n${worst.map(describeResult).join('\n')}\n\nauto ÷ best fixed\n${summarise(results)}`,
  );
}
