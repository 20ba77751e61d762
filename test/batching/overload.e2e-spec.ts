import { afterAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import type { Answer } from '../harness/answer.js';
import { fixture } from '../harness/configuration-file.js';
import { occupy } from '../harness/occupy.js';
import { startServer } from '../harness/start-server.js';
import { expectConservation, stopAndCheck } from '../harness/stop-and-check.js';

const QUEUE = 3;
const module = fixture('recorder');
const server = await startServer({
  models: {
    batched: { module, max_batch_size: 4, max_queue_size: QUEUE },
    single: { module, max_batch_size: 1, max_queue_size: QUEUE },
    deadlines: { module, max_batch_size: 1 },
    short: { module, max_batch_size: 1, timeout: 0.3 },
    'slow-once': { module, max_batch_size: 1, timeout: 1 },
  },
});
afterAll(() => stopAndCheck(server));

describe('a full queue', () => {
  it.each([
    ['BC-068', 'batched', 'at once'],
    ['BC-071', 'batched', 'one by one'],
    ['BC-074', 'single', 'at once'],
  ])(
    '%s: with 1 running, exactly 3 of %s wait when they come %s; the rest get 429',
    async (_, model, how) => {
      const { gate, answer } = await occupy(server, model);
      const waiting: Promise<Answer<Recorded>>[] = [];
      if (how === 'one by one') {
        for (let index = 0; index < QUEUE; index++) {
          waiting.push(server.predict<Recorded>(model, index));
          await server.untilMetrics('it waits', (metrics) => metrics.queueSize(model) === index + 1);
        }
      }
      const burst = Array.from({ length: 2 * QUEUE }, (__, index) => server.predict<Recorded>(model, index));
      const refused = await firstAnswers([...burst], how === 'one by one' ? 2 * QUEUE : QUEUE);
      for (const { status, headers, body } of refused) {
        expect(status).toBe(429);
        expect(body.code).toBe('queue_full');
        expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      }
      const metrics = await server.metrics();
      expect(metrics.queueSize(model)).toBe(QUEUE);
      expect(metrics.inFlight(model)).toBe(1 + QUEUE);
      expectConservation(metrics);
      gate.open();
      const answers = await Promise.all([answer, ...waiting, ...burst]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1 + QUEUE);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(refused.length);
    },
  );

  it('BC-070: refuses before it looks at the body', async () => {
    const { gate, answer } = await occupy(server, 'single');
    const waiting = Array.from({ length: QUEUE }, () => server.predict('single', 'waiting'));
    await server.untilMetrics('the queue is full', (metrics) => metrics.queueSize('single') === QUEUE);
    const refused = await server.send('/models/single/predict', { method: 'POST', body: 'this is not JSON' });
    expect(refused.status).toBe(429);
    gate.open();
    await Promise.all([answer, ...waiting]);
  });
});

describe('a deadline', () => {
  it('BC-055: is answered with 504 by its own timer while every worker is busy', async () => {
    const { gate, answer } = await occupy(server, 'deadlines');
    const headers = { 'x-request-timeout': '0.2' };
    const { status, body } = await server.predict('deadlines', 'late', { headers });
    expect([status, body.code]).toEqual([504, 'deadline_exceeded']);
    const metrics = await server.metrics();
    expect(metrics.inFlight('deadlines')).toBe(1);
    expect(metrics.ended('deadlines', 'expired')).toBe(1);
    gate.open();
    expect((await answer).status).toBe(200);
  });

  it('BC-056: that passed in the queue keeps an item from the handler', async () => {
    const { gate, answer } = await occupy(server, 'deadlines');
    const before = (await server.metrics()).batches('deadlines').items;
    const headers = { 'x-request-timeout': '0.1' };
    const late = await Promise.all([1, 2, 3].map((n) => server.predict('deadlines', n, { headers })));
    expect(late.map(({ status }) => status)).toEqual([504, 504, 504]);
    gate.open();
    await answer;
    await server.predict('deadlines', 'after');
    expect((await server.metrics()).batches('deadlines').items).toBe(before + 2);
  });

  it("is the model's own where the client sets none, and also ends an item that runs", async () => {
    const { gate, answer } = await occupy(server, 'short');
    const { status, body } = await answer;
    expect([status, body.code]).toEqual([504, 'deadline_exceeded']);
    gate.open();
  });

  it('BC-065: that one slow run has passed does not make an idle server give up the next request', async () => {
    const { gate, answer } = await occupy(server, 'slow-once');
    expect((await answer).status).toBe(504);
    gate.open();
    await server.untilMetrics('the run has ended', (metrics) => metrics.batches('slow-once').count === 1);
    expect((await server.predict('slow-once', 'next')).status).toBe(200);
  });

  it('earlier ones leave first', async () => {
    const { gate, answer } = await occupy(server, 'deadlines');
    const patient = server.predict<Recorded>('deadlines', 'patient');
    await server.untilMetrics('one waits', (metrics) => metrics.queueSize('deadlines') === 1);
    const headers = { 'x-request-timeout': '15' };
    const urgent = server.predict<Recorded>('deadlines', 'urgent', { headers });
    await server.untilMetrics('two wait', (metrics) => metrics.queueSize('deadlines') === 2);
    gate.open();
    const [first, second] = await Promise.all([urgent, patient, answer]);
    expect(first.body.result.batch).toBeLessThan(second.body.result.batch);
  });
});

/** The first so many answers that come. */
async function firstAnswers(calls: Promise<Answer<Recorded>>[], count: number): Promise<Answer<Recorded>[]> {
  const answers: Answer<Recorded>[] = [];
  await new Promise<void>((resolve, reject) => {
    for (const call of calls) {
      call.then((answer) => {
        if (answers.length < count) answers.push(answer);
        if (answers.length === count) resolve();
      }, reject);
    }
  });
  return answers;
}
