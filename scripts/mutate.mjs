// `node scripts/mutate.mjs`: does the suite notice when the scheduler gets worse? Puts one known mistake at a time
// into a copy of the sources and expects the tests that are meant to notice it to fail. Exits with 1 if one does not.
// `node scripts/mutate.mjs drop` tries only the mistakes whose name contains 'drop'.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ENGINE = 'libs/batching/src';
const ACCEPTANCE = 'bench/simulate/acceptance';
/** A run that is still going on after this long is taken for one that noticed. */
const PATIENCE_MS = 180_000;

// The list of the scheduling study, §9.
const MUTATIONS = [
  {
    name: 'a 10 ms timer in place of eager',
    file: `${ENGINE}/window/eager-window.ts`,
    search: `dispatchAt({ now }: WindowState): number {
    return now;`,
    replace: `dispatchAt({ oldestArrival }: WindowState): number {
    return oldestArrival + 10;`,
    specs: [`${ACCEPTANCE}/overload.spec.ts`],
  },
  {
    name: 'a 10 ms timer in place of auto',
    file: `${ENGINE}/window/auto-window.ts`,
    search: `    const { now, waiting, limit, maxWaitMs } = state;
`,
    replace: `    const { now, waiting, limit, maxWaitMs } = state;
    if (maxWaitMs >= 0) return state.oldestArrival + 10;
`,
    specs: [`${ACCEPTANCE}/overload.spec.ts`],
  },
  {
    name: 'no early drop: only what has expired is refused',
    file: `${ENGINE}/dispatch-plan.ts`,
    search: 'if (state.serviceTimeMs(size) <= budget)',
    replace: 'if (budget >= 0)',
    specs: [`${ACCEPTANCE}/overload.spec.ts`],
  },
  {
    name: 'a fixed time in the queue, SLO − s(B), in place of the batch-aware drop',
    file: `${ENGINE}/dispatch-plan.ts`,
    search: `if (state.serviceTimeMs(size) <= budget) return { action: 'run', size };`,
    replace: `return state.serviceTimeMs(limit) <= budget ? { action: 'run', size } : { action: 'drop', item: urgent };`,
    specs: [`${ACCEPTANCE}/overload.spec.ts`],
  },
  {
    name: 'strict order of arrival with mixed deadlines',
    file: `${ENGINE}/queue/priority-level.ts`,
    search: 'a.deadline - b.deadline || a.sequence - b.sequence',
    replace: 'a.sequence - b.sequence',
    specs: [`${ACCEPTANCE}/mixed.spec.ts`],
  },
  {
    name: 'round-robin across the models of a device',
    file: `${ENGINE}/device/device-arbiter.ts`,
    search: `for (const contender of this.#byNeed(device)) {
      if (!this.hasRoom(device)) return;`,
    replace: `for (const contender of [...this.#contenders]) {
      if (!this.hasRoom(device)) return;
      if (contender.need(device) === undefined) continue;
      this.#contenders.delete(contender);
      this.#contenders.add(contender);`,
    specs: [`${ACCEPTANCE}/mixed.spec.ts`],
  },
  {
    name: 'no length buckets: one signature for all',
    file: `${ENGINE}/dynamic-batcher.ts`,
    search: `      signature,
`,
    replace: `      signature: '',
`,
    specs: [`${ACCEPTANCE}/mixed.spec.ts`],
  },
  {
    name: 'the window of the adaptive limit is not cleared at a change',
    file: `${ENGINE}/limit/adaptive-limit.ts`,
    search: `    this.#runs.clear();
`,
    replace: '',
    specs: [`${ENGINE}/limit/adaptive-limit.spec.ts`],
  },
  {
    name: 'no safety factor: the expected run time is relied on',
    file: `${ENGINE}/service-time/service-time-estimate.ts`,
    search: 'this.#safety.value * this.#model.predict(size)',
    replace: 'this.#model.predict(size)',
    specs: [`${ACCEPTANCE}/noise.spec.ts`],
  },
  {
    name: 'admission by the throughput of the last eight batches',
    file: `${ENGINE}/admission/wait-estimate.ts`,
    search: `  #untilStart(aheadMs: number, fullBatchMs: number, now: number): number {
`,
    replace: `  readonly #completions: number[] = [];
  #untilStart(aheadMs: number, fullBatchMs: number, now: number): number {
    const { lastCompletion } = this.#sources.pace;
    if (lastCompletion !== this.#completions.at(-1)) this.#completions.push(lastCompletion);
    const eighthLast = this.#completions.at(-8);
    if (eighthLast !== undefined) return (1 + aheadMs / fullBatchMs) * ((now - eighthLast) / 8);
`,
    specs: [`${ACCEPTANCE}/admission.spec.ts`],
  },
  {
    name: 'one law for all devices',
    file: `${ENGINE}/service-time/service-times.ts`,
    search: `  observe(device: string, size: number, runMs: number): void {
`,
    replace: `  observe(device: string, size: number, runMs: number): void {
    device = 'any';
`,
    specs: [`${ENGINE}/service-time/service-times.spec.ts`],
  },
  {
    name: 'admission that forgets the batches in flight',
    file: `${ENGINE}/admission/wait-estimate.ts`,
    search: 'untilFree.push(batch === undefined ? 0 : this.#remainingMs(batch, lane.device, now));',
    replace: 'untilFree.push(batch === undefined ? 0 : 0 * this.#remainingMs(batch, lane.device, now));',
    specs: [`${ENGINE}/admission/admission.spec.ts`],
  },
];

const root = resolve(import.meta.dirname, '..');
const wanted = process.argv[2] ?? '';
const mutations = MUTATIONS.filter(({ name }) => name.includes(wanted));
const copy = copySources();
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));

const specs = [...new Set(mutations.flatMap((mutation) => mutation.specs))];
if (specs.length === 0) fail(`no mutation's name contains '${wanted}'`);
// Tests that fail anyway would make every mutation look noticed.
const untouched = runSpecs(specs);
if (untouched.status !== 0) fail(`the tests fail without any mutation:\n${untouched.output}`);

const rows = mutations.map((mutation) => {
  const { outcome, seconds } = tryOut(mutation);
  console.log(`${outcome.padEnd(9)} ${seconds.toFixed(1).padStart(6)} s  ${mutation.name}`);
  return outcome;
});
const bad = rows.filter((outcome) => outcome !== 'noticed').length;
console.log(`\n${rows.length - bad} of ${rows.length} mutations were noticed`);
process.exitCode = bad > 0 ? 1 : 0;

/** Everything that the unit tests need, outside the working tree: others may be at work there. */
function copySources() {
  const folder = mkdtempSync(join(tmpdir(), 'smartbatch-mutate-'));
  const settings = readdirSync(root).filter((name) => /^tsconfig.*\.json$/.test(name));
  for (const name of [
    'src',
    'libs',
    'bench',
    'models',
    'test',
    'vitest.config.ts',
    'package.json',
    ...settings,
  ]) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Puts one mistake in, runs its tests, and takes it out again. */
function tryOut({ file, search, replace, specs }) {
  const path = join(copy, file);
  const original = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  // A mutation whose place has moved proves nothing, and must not pass for one that was noticed.
  if (original.split(search).length !== 2) return { outcome: 'MISPLACED', seconds: seconds() };
  writeFileSync(
    path,
    original.replace(search, () => replace),
  );
  const { status, output } = runSpecs(specs);
  writeFileSync(path, original);
  if (status === 0) return { outcome: 'SURVIVED', seconds: seconds() };
  // Only a test that ran and failed has noticed anything: not a file that could not even be read.
  const isNoticed = status === null || /AssertionError|Test timed out/.test(output);
  return { outcome: isNoticed ? 'noticed' : 'BROKEN', seconds: seconds() };
}

function runSpecs(specs) {
  const args = ['vitest', 'run', '--project', 'unit', '--bail=1', ...specs];
  const { status, stdout, stderr } = spawnSync(`node_modules/.bin/${args[0]}`, args.slice(1), {
    cwd: copy,
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { status, output: `${stdout}${stderr}` };
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
