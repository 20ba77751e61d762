import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readOptions, type BenchOptions } from './bench-options.js';
import { BodyFiles } from './load/body-files.js';
import { isWrkInstalled } from './load/wrk.js';
import type { SuiteReport } from './report/suite-report.js';
import { runSuite } from './suites/run-suite.js';
import { SUITES } from './suites/suites.js';

/* Drives running servers over loopback and prints what came out; `npm run bench` builds first. */

async function bench(options: BenchOptions, folder: string): Promise<SuiteReport[]> {
  const bodies = new BodyFiles(folder);
  const reports: SuiteReport[] = [];
  for (const name of options.suites) {
    const suite = SUITES[name](bodies, folder);
    const report = await runSuite(suite, {
      seconds: options.seconds,
      rounds: options.rounds,
      connections: options.connections ?? suite.connections,
      progress: (text) => process.stderr.write(`${name}: ${text}\n`),
    });
    process.stdout.write(`${report.toString()}\n`);
    reports.push(report);
  }
  return reports;
}

function writeResults(options: BenchOptions, reports: readonly SuiteReport[]): string {
  const now = new Date().toISOString();
  const file = options.json ?? join('bench/results', `${now.replaceAll(':', '-').slice(0, 19)}.json`);
  const [{ model } = { model: 'unknown' }] = cpus();
  const machine = { cpu: model, cores: cpus().length, node: process.version };
  const { seconds, rounds } = options;
  const results = { date: now, machine, seconds, rounds, suites: reports.map((report) => report.toJson()) };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  return file;
}

function refuse(reason: string): never {
  process.stderr.write(`bench: ${reason}\n`);
  process.exit(1);
}

function optionsOrRefusal(): BenchOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    return refuse((error as Error).message);
  }
}

const options = optionsOrRefusal();
if (process.platform !== 'linux') refuse('it needs Linux, whose /proc tells it who used the CPU');
if (!isWrkInstalled()) refuse('wrk is missing; install it with `apt-get install wrk`');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
const folder = mkdtempSync(join(tmpdir(), 'smartbatch-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const reports = await bench(options, folder);
process.stdout.write(`\nresults: ${writeResults(options, reports)}\n`);
const failed = reports.reduce((sum, report) => sum + report.failed, 0);
// A refused or failed request is cheaper than an answered one: such figures say nothing.
if (failed > 0) refuse(`${failed} requests failed, so the figures above do not count`);
