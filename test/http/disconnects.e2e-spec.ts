import { Agent } from 'node:http';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import type { Answer } from '../harness/answer.js';
import { fixture } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import { answerTo, openPost } from '../harness/raw-request.js';
import { occupy } from '../harness/occupy.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const module = fixture('recorder');
const server = await startServer({
  models: {
    queue: { module, max_batch_size: 1, max_queue_size: 2 },
    batched: { module, max_batch_size: 8, max_queue_size: 1000 },
    crowd: { module, max_queue_size: 5000 },
    attentive: { module: fixture('attentive'), max_batch_size: 3, window: 'fixed', max_wait_time: 20 },
  },
});
afterAll(() => stopAndCheck(server));

/** A request whose client can leave. */
function leaving(model: string, parameters: object = {}): { leave(): void; readonly gone: Promise<unknown> } {
  const client = new AbortController();
  const options = { signal: client.signal, parameters: { ...parameters } };
  const gone = server.predict(model, 'leaves', options).catch(() => 'gone');
  return { leave: () => client.abort(), gone };
}

/** A hundred requests at once. */
function wave(): Promise<Answer<Recorded>[]> {
  return Promise.all(Array.from({ length: 100 }, (_, data) => server.predict<Recorded>('batched', data)));
}

describe('a client that leaves', () => {
  it('BC-052, P3: frees its place in the queue, and its item does not run', async () => {
    const { gate, answer } = await occupy(server, 'queue');
    const before = (await server.metrics()).ended('queue', 'cancelled');
    const clients = [leaving('queue'), leaving('queue')];
    await server.untilMetrics('the queue is full', (metrics) => metrics.queueSize('queue') === 2);
    for (const client of clients) client.leave();
    await server.untilMetrics(
      'both have left',
      (metrics) => metrics.ended('queue', 'cancelled') === before + 2,
    );
    expect((await server.metrics()).queueSize('queue')).toBe(0);
    const next = server.predict<Recorded>('queue', 'next');
    await server.untilMetrics('the next waits', (metrics) => metrics.queueSize('queue') === 1);
    gate.open();
    const [running, followed] = await Promise.all([answer, next]);
    expect(followed.body.result.batch).toBe(running.body.result.batch + 1);
    expect(await Promise.all(clients.map(({ gone }) => gone))).toEqual(['gone', 'gone']);
  });

  it('BC-059, P3: while its batch runs disturbs nobody in it', async () => {
    const marker = new Gate();
    const client = leaving('attentive', { leaves: marker.path });
    const others = [1, 2].map((data) => server.predict<{ left: boolean[]; all: boolean }>('attentive', data));
    await marker.entered();
    client.leave();
    for (const { status, body } of await Promise.all(others)) {
      expect(status).toBe(200);
      expect(body.result.left.filter(Boolean)).toEqual([true]);
      expect(body.result.all).toBe(false);
    }
    expect(await client.gone).toBe('gone');
  });

  it('BC-053: among 500 that leave at once, hinders nobody after them', async () => {
    const { gate, answer } = await occupy(server, 'crowd');
    const clients = Array.from({ length: 500 }, () => leaving('crowd'));
    await server.untilMetrics('they wait', (metrics) => metrics.queueSize('crowd') > 0);
    for (const client of clients) client.leave();
    const next = server.predict('crowd', 'next');
    gate.open();
    expect((await next).status).toBe(200);
    expect((await answer).status).toBe(200);
    await Promise.all(clients.map(({ gone }) => gone));
  });

  it('BC-050: after a wave of those who gave up, the next wave is served as the first', async () => {
    const first = await wave();
    const impatient = Array.from({ length: 100 }, () =>
      server.predict('batched', 'impatient', { signal: AbortSignal.timeout(1) }).catch(() => 'gone'),
    );
    await Promise.all(impatient);
    const third = await wave();
    for (const answers of [first, third]) {
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(answers.map(({ body }) => body.result.data)).toEqual(answers.map((_, data) => data));
    }
  });
});

describe('BC-061: is not taken for one that leaves', () => {
  const body = JSON.stringify({ data: 1, parameters: { sleep: 50 } });
  const headers = { 'content-type': 'application/json' };
  const path = '/models/batched/predict';

  it('a client that sends two requests on one connection', async () => {
    const before = (await server.metrics()).ended('batched', 'cancelled');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let count = 0; count < 2; count++) {
      const open = openPost(server.url + path, { headers, agent });
      open.end(body);
      expect((await answerTo(open)).status).toBe(200);
    }
    agent.destroy();
    expect((await server.metrics()).ended('batched', 'cancelled')).toBe(before);
  });

  it('a client whose body comes in pieces', async () => {
    const open = openPost(server.url + path, { headers });
    const answer = answerTo(open);
    for (const piece of body) {
      open.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    open.end();
    expect((await answer).status).toBe(200);
  });
});

// A client that closes its half of the connection and one that is gone look the same until something is written
// to them. Both are taken for gone, since the work for one that is gone costs those who are there.
it('BC-061: a client that closes its half of the connection is taken for one that has left', async () => {
  const before = (await server.metrics()).ended('batched', 'cancelled');
  const body = JSON.stringify({ data: 1, parameters: { sleep: 50 } });
  const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
  socket.end(
    'POST /models/batched/predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(await text(socket)).toBe('');
  await server.untilMetrics('it has ended', (metrics) => metrics.inFlight('batched') === 0);
  expect((await server.metrics()).ended('batched', 'cancelled')).toBe(before + 1);
});

it('P1: a client that breaks off in the middle of its body is counted as cancelled', async () => {
  const before = (await server.metrics()).ended('batched', 'cancelled');
  const open = openPost(`${server.url}/models/batched/predict`, {
    headers: { 'content-type': 'application/json', 'content-length': 1000 },
  });
  open.on('error', () => undefined);
  open.write('{"data":');
  await server.untilMetrics('it has arrived', (metrics) => metrics.inFlight('batched') === 1);
  open.destroy();
  await server.untilMetrics('it has ended', (metrics) => metrics.inFlight('batched') === 0);
  expect((await server.metrics()).ended('batched', 'cancelled')).toBe(before + 1);
});
