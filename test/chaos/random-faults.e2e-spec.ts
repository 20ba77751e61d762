import { FaultFolder, type Fault } from '#testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { seededNumbers } from '../harness/seeded-numbers.js';
import { fixture } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';
import { waitUntil } from '../harness/wait-until.js';

const FAULTS = 200;
const SECONDS = 60;
const CLIENTS = 8;
/** Longer than a hang is tolerated, so that each costs a worker; short enough for the thread to come back. */
const HANG_MS = 2500;

/** What befalls workers, each as often as it is named. */
const LIGHT: readonly Fault[] = [
  ...Array.from({ length: 8 }, (): Fault => ({ kind: 'throw' })),
  ...Array.from({ length: 6 }, (): Fault => ({ kind: 'slow', milliseconds: 200 })),
];
const HEAVY: readonly Fault[] = [
  { kind: 'exit' },
  { kind: 'uncaught' },
  { kind: 'stall' },
  { kind: 'hang', milliseconds: HANG_MS },
  { kind: 'out-of-memory' },
];
const MENU: Readonly<Record<string, readonly Fault[]>> = {
  threads: [...LIGHT, ...HEAVY],
  processes: [...LIGHT, ...HEAVY, { kind: 'kill' }],
};
/** What a request may be told that met a fault. */
const EXPECTED_CODES = [
  'handler_failed',
  'worker_died',
  'run_timeout',
  'no_worker',
  'queue_full',
  'deadline_exceeded',
  'predicted_late',
];

const root = mkdtempSync(join(tmpdir(), 'smartbatch-chaos-'));
const folders = Object.fromEntries(
  Object.keys(MENU).map((model) => [model, new FaultFolder(join(root, model))]),
);
const settings = (name: string, isolation: string) => ({
  module: fixture('faulty'),
  function: name,
  isolation,
  workers: 2,
  max_batch_size: 4,
  timeout: 20,
  run_timeout: 1,
  // Whether the breaker opens when it should is another test's matter; here everything is to be tried.
  breaker: { threshold: 1000 },
});
const server = await startServer({
  models: { threads: settings('threads', 'thread'), processes: settings('processes', 'process') },
  environment: {
    TEST_FAULTS_OF_THREADS: folders['threads']!.path,
    TEST_FAULTS_OF_PROCESSES: folders['processes']!.path,
  },
});
afterAll(() => stopAndCheck(server));

/** Asks one thing after the other, and counts what comes of it. */
async function ask(model: string, client: number, goesOn: () => boolean, outcomes: Map<string, number>) {
  for (let number = 0; goesOn(); number++) {
    const data = `${model} ${client} ${number}`;
    const { status, body } = await server.predict(model, data);
    const outcome = status === 200 ? (body.result === data ? 'ok' : 'mixed up') : body.code;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    // Who was refused at once would do nothing but be refused.
    await sleep(status === 200 ? 5 : 100);
  }
}

describe('P1, P2, P3 under fire', () => {
  it(
    `answers every request, its own, through ${FAULTS} random faults in ${SECONDS} s on 4 workers`,
    { timeout: 240_000 },
    async () => {
      const outcomes = new Map<string, number>();
      let isOver = false;
      const clients = Object.keys(MENU).flatMap((model) =>
        Array.from({ length: CLIENTS }, (_, client) => ask(model, client, () => !isOver, outcomes)),
      );
      const random = seededNumbers(2026);
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
      for (let fault = 0; fault < FAULTS; fault++) {
        const model = pick(Object.keys(MENU));
        folders[model]!.order(pick(MENU[model]!));
        await sleep((1000 * SECONDS) / FAULTS);
      }
      await waitUntil(
        'every fault has been committed',
        () => Object.values(folders).every(({ open }) => open === 0),
        120_000,
      );
      isOver = true;
      await Promise.all(clients);
      expect(outcomes.get('ok')).toBeGreaterThan(0);
      expect(outcomes.get('mixed up')).toBeUndefined();
      expect([...outcomes.keys()].filter((each) => each !== 'ok' && !EXPECTED_CODES.includes(each))).toEqual(
        [],
      );
      await waitUntil(
        'every lane is back',
        async () => {
          const metrics = await server.metrics();
          return Object.keys(MENU).every((model) => metrics.value('smartbatch_lanes', { model }) === 2);
        },
        60_000,
      );
      for (const model of Object.keys(MENU)) {
        const { status, body } = await server.predict(model, 'after');
        expect([status, body.result]).toEqual([200, 'after']);
      }
    },
  );
});
