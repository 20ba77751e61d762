import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const COMPUTE_MS = 2000;
const ANSWERS = 20;
const server = await startServer({ models: { busy: { module: fixture('busy'), max_batch_size: 1 } } });
afterAll(() => stopAndCheck(server));

/** The longest delay of the event loop since the metrics were last read, in milliseconds. */
async function longestDelayMs(): Promise<number> {
  return 1000 * (await server.metrics()).value('nodejs_eventloop_lag_max_seconds');
}

describe('P4, BC-107: while a model computes without a pause', () => {
  let gate: Gate;
  let answer: ReturnType<typeof server.predict>;

  beforeEach(async () => {
    gate = new Gate();
    // The longest delay is counted from here on.
    await longestDelayMs();
    answer = server.predict('busy', 'item', { parameters: { gate: gate.path } });
    await gate.entered();
    return async () => {
      gate.open();
      const { status } = await answer;
      if (status !== 200) throw new Error(`the item was answered with ${status}`);
    };
  });

  it('the server answers as often as it is asked', async () => {
    for (let count = 0; count < ANSWERS; count++) {
      // A server that computed itself would not answer before the gate is opened.
      const response = await fetch(`${server.url}/health`, { signal: AbortSignal.timeout(20_000) });
      expect(response.status).toBe(200);
    }
  });

  // Others may take the cores away for a while, but hardly three times for a quarter of what the model computes.
  it('the event loop goes on', { retry: 2 }, async () => {
    await sleep(COMPUTE_MS);
    expect(await longestDelayMs()).toBeLessThan(COMPUTE_MS / 4);
  });
});
