import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const module = fixture('recorder');
const WINDOW_MS = 500;
const server = await startServer({
  models: {
    eager: { module, max_batch_size: 4, window: 'eager' },
    growing: { module, max_batch_size: 8, window: 'eager' },
    fixed: { module, max_batch_size: 4, window: 'fixed', max_wait_time: 0.1 },
    anchored: { module, max_batch_size: 32, window: 'fixed', max_wait_time: WINDOW_MS / 1000 },
    'waits-for-full': { module, max_batch_size: 4, window: 'fixed', max_wait_time: 20 },
    single: { module, max_batch_size: 1 },
    pair: { module, max_batch_size: 5, workers: 2 },
  },
});
afterAll(() => stopAndCheck(server));

async function record(model: string, data: unknown, parameters: object = {}): Promise<Recorded> {
  const { status, body } = await server.predict<Recorded>(model, data, { parameters: { ...parameters } });
  expect(status).toBe(200);
  return body.result;
}

function batchSizes(results: readonly Recorded[]): number[] {
  const sizes = new Map(results.map(({ workerId, batch, size }) => [`${workerId}/${batch}`, size]));
  return [...sizes.values()];
}

describe('batch formation', () => {
  it.each(['eager', 'fixed'])(
    'BC-001: answers a burst of 9 at max_batch_size 4 that silence follows (%s window)',
    async (model) => {
      const numbers = Array.from({ length: 9 }, (_, index) => index);
      const results = await Promise.all(numbers.map((number) => record(model, number, { sleep: 50 })));
      expect(results.map(({ data }) => data)).toEqual(numbers);
      const sizes = batchSizes(results);
      expect(sizes.reduce((sum, size) => sum + size)).toBe(9);
      expect(Math.max(...sizes)).toBe(4);
    },
  );

  it('BC-002: the window opens with the oldest arrival, also after an idle spell', async () => {
    await record('anchored', 'warm');
    await sleep(WINDOW_MS);
    const sentAt = Date.now();
    const first = record('anchored', 'A');
    await sleep(WINDOW_MS / 5);
    const [a, b] = await Promise.all([first, record('anchored', 'B')]);
    expect([a.batch, a.size]).toEqual([b.batch, 2]);
    expect(a.startedAt - sentAt).toBeGreaterThanOrEqual(WINDOW_MS - 5);
  });

  it('BC-003: arrivals neither lengthen nor shorten the window', async () => {
    const sent: number[] = [];
    const pending: Promise<Recorded>[] = [];
    for (let count = 0; count < 30; count++) {
      sent.push(Date.now());
      pending.push(record('anchored', count));
      await sleep(WINDOW_MS / 12);
    }
    const results = await Promise.all(pending);
    const [{ batch, startedAt, size }] = results as [Recorded];
    expect(startedAt - sent[0]!).toBeGreaterThanOrEqual(WINDOW_MS - 5);
    // A window that each arrival opens anew would still be open when the sending ends.
    expect(startedAt).toBeLessThan(sent.at(-1)!);
    const inTime = sent.filter((time) => time < startedAt).length;
    expect(size).toBeGreaterThanOrEqual(inTime / 2);
    expect(results.slice(0, size).every((result) => result.batch === batch)).toBe(true);
  });

  it('an item that waited behind a running batch does not wait again', async () => {
    const gate = new Gate();
    const first = record('anchored', 'first', { gate: gate.path });
    await gate.entered();
    const second = record('anchored', 'second');
    await server.untilMetrics('the second waits', (metrics) => metrics.queueSize('anchored') === 1);
    await sleep(WINDOW_MS + 50);
    gate.open();
    const [{ endedAt }, { startedAt }] = await Promise.all([first, second]);
    expect(startedAt - endedAt).toBeLessThan(WINDOW_MS / 2);
  });

  it('a full batch does not wait for its window', async () => {
    const results = await Promise.all([1, 2, 3, 4].map((number) => record('waits-for-full', number)));
    expect(batchSizes(results)).toEqual([4]);
  });

  it('BC-004: a batch grows behind a running one until the worker takes it (1, then 4)', async () => {
    const gate = new Gate();
    const first = record('growing', 0, { gate: gate.path });
    await gate.entered();
    const others = [1, 2, 3, 4].map((number) => record('growing', number));
    await server.untilMetrics('four wait', (metrics) => metrics.queueSize('growing') === 4);
    gate.open();
    expect(batchSizes(await Promise.all([first, ...others]))).toEqual([1, 4]);
  });

  it('BC-014: items whose clients have left do not count towards the batch limit', async () => {
    const leaving = [1, 2, 3].map(() => new AbortController());
    const cancelled = (await server.metrics()).ended('waits-for-full', 'cancelled');
    const left = leaving.map(({ signal }) =>
      server.predict('waits-for-full', 'left', { signal }).catch(() => 'left'),
    );
    await server.untilMetrics('three wait', (metrics) => metrics.queueSize('waits-for-full') === 3);
    for (const client of leaving) client.abort();
    await server.untilMetrics(
      'three have left',
      (metrics) => metrics.ended('waits-for-full', 'cancelled') === cancelled + 3,
    );
    const results = await Promise.all([1, 2, 3, 4].map((number) => record('waits-for-full', number)));
    expect(batchSizes(results)).toEqual([4]);
    expect(await Promise.all(left)).toEqual(['left', 'left', 'left']);
  });

  it.each(['single', 'eager'])('BC-016: the handler gets an array also for one item (%s)', async (model) => {
    expect(await record(model, 'alone')).toMatchObject({ isArray: true, size: 1, data: 'alone' });
  });

  it('two workers run two requests at the same time', async () => {
    const gates = [new Gate(), new Gate()];
    const results = gates.map((gate) => record('pair', 'one', { gate: gate.path }));
    // The second would not get there before the first has gone on.
    for (const gate of gates) await gate.entered();
    for (const gate of gates) gate.open();
    const [a, b] = await Promise.all(results);
    expect(a!.workerId).not.toBe(b!.workerId);
  });

  it('BC-013, P1, P2: no answer is lost or mixed up over 50 rounds of 10 on two workers', async () => {
    for (let round = 0; round < 50; round++) {
      const ids = Array.from({ length: 10 }, (_, index) => `${round}/${index}`);
      const results = await Promise.all(ids.map((id) => record('pair', id)));
      expect(results.map(({ data }) => data)).toEqual(ids);
    }
  });
});
