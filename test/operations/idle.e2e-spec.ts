import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { fixture, shippedModel } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

/** The unit of times in /proc: USER_HZ, 100 on every Linux. */
const TICKS_A_SECOND = 100;
const SECONDS = 5;
/** A server that is busy with itself is so in every window; on a slow machine the start's remains fill the first ones. */
const WINDOWS = 6;
const server = await startServer({
  models: {
    digits: { module: shippedModel('digits') },
    language: { module: shippedModel('language') },
    fixed: { module: fixture('recorder'), window: 'fixed', workers: 2 },
  },
});
afterAll(() => stopAndCheck(server));

/** CPU time that all threads of the process have used. */
function cpuSeconds(pid: number): number {
  // The second field is the command's name in brackets, which may hold blanks.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const [user, system] = [fields[11], fields[12]].map(Number) as [number, number];
  return (user + system) / TICKS_A_SECOND;
}

it('P6: an idle server with three models uses less than 1 % of a CPU', async () => {
  expect((await server.predict('fixed', 1)).status).toBe(200);
  expect((await server.predict('language', 'Guten Tag')).status).toBe(200);
  let least = Infinity;
  for (let window = 0; window < WINDOWS && least >= 0.01; window++) {
    const before = cpuSeconds(server.process.pid);
    await sleep(SECONDS * 1000);
    least = Math.min(least, (cpuSeconds(server.process.pid) - before) / SECONDS);
  }
  expect(least).toBeLessThan(0.01);
});
