import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textTable } from '../report/text-table.js';
import { LIVE_CHECKS } from './checks/live-checks.js';
import { isMet, type Finding, type LiveCheck } from './live-check.js';

/* Drives running servers through hard times and prints what came out; `npm run live` builds first. */

function chosen(names: readonly string[]): [string, LiveCheck][] {
  const unknown = names.find((name) => !Object.hasOwn(LIVE_CHECKS, name));
  if (unknown !== undefined) {
    process.stderr.write(`'${unknown}' is not a check; there are ${Object.keys(LIVE_CHECKS).join(', ')}\n`);
    process.exit(2);
  }
  return Object.entries(LIVE_CHECKS).filter(([name]) => names.length === 0 || names.includes(name));
}

function row(finding: Finding): string[] {
  const { what, value, unit, atLeast, atMost } = finding;
  const asked = [
    ...(atLeast === undefined ? [] : [`≥ ${atLeast}`]),
    ...(atMost === undefined ? [] : [`≤ ${atMost}`]),
  ].join(', ');
  return [what, value.toPrecision(4), unit, asked, asked === '' ? '' : isMet(finding) ? 'met' : 'MISSED'];
}

const checks = chosen(process.argv.slice(2));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
const folder = mkdtempSync(join(tmpdir(), 'smartbatch-live-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const [name, check] of checks) {
  const findings = await check.run({
    folder,
    progress: (text) => process.stderr.write(`${name}: ${text}\n`),
  });
  process.stdout.write(
    `\n${check.title}\n\n${textTable(['', 'value', '', 'asked', ''], findings.map(row))}\n`,
  );
  if (!findings.every(isMet)) process.exitCode = 1;
}
