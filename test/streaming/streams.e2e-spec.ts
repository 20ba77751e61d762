import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Counted, CountRequest } from '../fixtures/counting.js';
import type { Storyteller } from '../fixtures/storyteller/storyteller.js';
import type { AnswerBody } from '../harness/answer.js';
import { fixture } from '../harness/configuration-file.js';
import { EventStream } from '../harness/event-stream.js';
import { Gate } from '../harness/gate.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';
import { waitUntil } from '../harness/wait-until.js';

const module = fixture('counting');
const together = { window: 'fixed', max_wait_time: 20 };
const server = await startServer({
  models: {
    counting: { module, function: 'counting', max_batch_size: 1 },
    pairs: { module, function: 'counting', max_batch_size: 2, ...together },
    counter: { module, function: 'counter', max_batch_size: 3 },
    narrow: { module, function: 'counter', max_batch_size: 1, max_stream_buffer: 16 },
    slow: { module, function: 'counting', max_batch_size: 2, max_stream_buffer: 16, ...together },
    mortal: { module, function: 'counter', max_batch_size: 4 },
    speller: { module: fixture('storyteller/speller.module') },
    plain: { module: fixture('recorder') },
  },
});
afterAll(() => stopAndCheck(server));

function open(
  model: string,
  data: CountRequest,
  headers?: Record<string, string>,
): Promise<EventStream<Counted>> {
  return EventStream.open(`${server.url}/models/${model}/stream`, { data }, headers);
}

async function stepsOf(model: string): Promise<number> {
  return (await server.metrics()).batches(model).count;
}

const numbers = (tokens: readonly Counted[]) => tokens.map(({ n }) => n);
const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('a stream', () => {
  it('is Server-Sent Events: one a token, then [DONE]', async () => {
    const response = await fetch(`${server.url}/models/counting/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'mine', accept: 'text/event-stream' },
      body: JSON.stringify({ data: { to: 2 } }),
    });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': 'mine',
    });
    const events = [1, 2].map((n) => `data: {"token":{"n":${n},"size":1,"run":0},"request_id":"mine"}\n\n`);
    expect(await response.text()).toBe(`${events.join('')}data: [DONE]\n\n`);
  });

  it('gives each token when it is there', async () => {
    const gate = new Gate();
    const stream = await open('counting', { to: 2, gate: gate.path });
    expect((await stream.token()).n).toBe(1);
    gate.open();
    expect((await stream.rest()).end).toBe('[DONE]');
  });

  it('P2: of two clients in one batch gives each its own', async () => {
    const streams = await Promise.all([open('pairs', { to: 5 }), open('pairs', { to: 3 })]);
    const [long, short] = await Promise.all(streams.map((stream) => stream.rest()));
    expect([long!.end, short!.end]).toEqual(['[DONE]', '[DONE]']);
    expect([numbers(long!.tokens), numbers(short!.tokens)]).toEqual([upTo(5), upTo(3)]);
    expect(long!.tokens.map(({ size }) => size)).toEqual([2, 2, 2, 2, 1]);
    expect(long!.tokens[0]!.run).toBe(short!.tokens[0]!.run);
  });

  it('of a model that does not stream is its one result', async () => {
    const stream = await EventStream.open<{ data: number }>(`${server.url}/models/plain/stream`, { data: 7 });
    expect((await stream.token()).data).toBe(7);
    expect(await stream.next()).toBe('[DONE]');
  });

  it('is a list for /predict', async () => {
    const { status, body } = await server.predict<Counted[]>('counting', { to: 3 });
    expect([status, numbers(body.result)]).toEqual([200, [1, 2, 3]]);
  });

  it('runs through the life cycle: decode each request, encode each token', async () => {
    const stream = await EventStream.open<string>(`${server.url}/models/speller/stream`, { data: 'abc' });
    expect(await stream.rest()).toEqual({ tokens: ['A!', 'B!', 'C!'], end: '[DONE]' });
    const { status, body } = await server.predict('speller', 'unspeakable');
    expect([status, body.code, body.detail]).toEqual([500, 'handler_failed', 'that cannot be said']);
  });

  it('is described in the API description, for models that stream', async () => {
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    expect(Object.keys(paths)).toContain('/models/counter/stream');
    expect(Object.keys(paths)).not.toContain('/models/plain/stream');
  });
});

describe('continuous batching', () => {
  it('lets a client join a batch that runs, and leave before it', async () => {
    const [gate, end] = [new Gate(), new Gate()];
    const first = await open('counter', { to: 4, gate: gate.path });
    const run = (await first.token()).run;
    await gate.entered();
    const second = open('counter', { to: 2, gate: end.path });
    await server.untilMetrics('the second waits', (metrics) => metrics.queueSize('counter') === 1);
    gate.open();
    const joined = await second;
    expect(await joined.token()).toMatchObject({ n: 1, size: 2, run });
    end.open();
    expect((await joined.rest()).end).toBe('[DONE]');
    const rest = await first.rest();
    expect(rest.end).toBe('[DONE]');
    expect(numbers(rest.tokens)).toEqual(upTo(4, 2));
    expect(new Set(rest.tokens.map((token) => token.run))).toEqual(new Set([run]));
  });

  it('P3: a client that leaves frees its place for the next at once', async () => {
    const endless = await open('narrow', { to: 1e9, sleep: 5 });
    await endless.token();
    const waiting = open('narrow', { to: 2 });
    await server.untilMetrics('the next waits', (metrics) => metrics.queueSize('narrow') === 1);
    endless.leave();
    expect(numbers((await (await waiting).rest()).tokens)).toEqual([1, 2]);
    await server.untilMetrics('it is counted', (metrics) => metrics.ended('narrow', 'cancelled') === 1);
  });
});

describe('P3, P5: a reader that does not read', () => {
  const padding = 100_000;

  it('alone makes the model stand still', async () => {
    const stream = await open('narrow', { to: 1e9, padding });
    await stream.token();
    // The sockets' buffers are full at some time; from then on nothing runs.
    let [before, now] = [-1, await stepsOf('narrow')];
    await waitUntil('the model stands still', async () => {
      await sleep(300);
      [before, now] = [now, await stepsOf('narrow')];
      return before === now;
    });
    expect(now).toBeGreaterThan(16);
    stream.leave();
  });

  it('is ended when others go on, and does not hold them up', async () => {
    const pair = [open('slow', { to: 400, padding }), open('slow', { to: 400 })];
    const [slow, quick] = await Promise.all(pair);
    const rest = await quick!.rest();
    expect([rest.end, rest.tokens.length]).toEqual(['[DONE]', 400]);
    const seen = await slow!.rest();
    expect(seen.end).toBe('slow_reader');
    expect(numbers(seen.tokens)).toEqual(upTo(seen.tokens.length));
  });

  it('makes room within about a second for one who waits for its place', async () => {
    const stalled = await open('narrow', { to: 1e9, padding });
    await stalled.token();
    const started = performance.now();
    const next = await open('narrow', { to: 1 });
    expect((await next.rest()).end).toBe('[DONE]');
    expect(performance.now() - started).toBeLessThan(10_000);
    expect((await stalled.rest()).end).toBe('slow_reader');
  });
});

describe('a stream that fails', () => {
  it('before its first token is answered as any request', async () => {
    const url = `${server.url}/models/counter/stream`;
    const send = async (body: unknown, headers: Record<string, string> = {}) => {
      const all = { 'content-type': 'application/json', ...headers };
      const response = await fetch(url, { method: 'POST', headers: all, body: JSON.stringify(body) });
      expect(response.headers.get('content-type')).toContain('application/problem+json');
      const { code } = (await response.json()) as AnswerBody;
      return [response.status, code];
    };
    expect(await send({ data: { to: 3, throwAt: 1 } })).toEqual([500, 'handler_failed']);
    expect(await send({ data: { to: 3, breakAt: 1 } })).toEqual([502, 'contract_violation']);
    expect(await send({ data: { to: 3, sleep: 500 } }, { 'x-request-timeout': '0.05' })).toEqual([
      504,
      'deadline_exceeded',
    ]);
    expect(await send({ inputs: [{ to: 3 }] })).toEqual([422, 'invalid_input']);
    expect(await send({ data: { to: 3 } }, { 'x-request-timeout': 'soon' })).toEqual([400, 'invalid_header']);
    const unknown = await fetch(`${server.url}/models/nobody/stream`, { method: 'POST' });
    expect(unknown.status).toBe(404);
  });

  it.each([
    ['its own error', { failAt: 3 }, 'handler_failed'],
    ['an error of the handler', { throwAt: 3 }, 'handler_failed'],
    ['a broken contract', { breakAt: 3 }, 'contract_violation'],
  ])('later ends with an error event: %s', async (_, fault, code) => {
    const stream = await open('counter', { to: 5, ...fault });
    const { tokens, end } = await stream.rest();
    expect([numbers(tokens), end]).toEqual([[1, 2], code]);
    expect(await stream.next()).toBeUndefined();
  });

  it('the error is the problem that a request would get', async () => {
    const stream = await open('counter', { to: 5, failAt: 2 }, { 'x-request-id': 'failing' });
    await stream.token();
    expect(await stream.next()).toEqual({
      error: {
        type: '/docs/errors#handler_failed',
        title: 'The model failed',
        status: 500,
        detail: '2 is not liked',
        code: 'handler_failed',
        request_id: 'failing',
      },
    });
  });

  it('by its deadline ends alone', async () => {
    const [late, other] = await Promise.all([
      open('counter', { to: 1e9, sleep: 5 }, { 'x-request-timeout': '0.4' }),
      open('counter', { to: 120, sleep: 5 }),
    ]);
    const [expired, whole] = await Promise.all([late.rest(), other.rest()]);
    expect(expired.end).toBe('deadline_exceeded');
    expect(numbers(expired.tokens)).toEqual(upTo(expired.tokens.length));
    expect([numbers(whole.tokens), whole.end]).toEqual([upTo(120), '[DONE]']);
    expect(whole.tokens[0]!.run).toBe(expired.tokens[0]!.run);
  });

  it('with its worker ends with all the others of its batch, and the model comes back', async () => {
    const gate = new Gate();
    const first = await open('mortal', { to: 1e9, gate: gate.path });
    await first.token();
    const second = open('mortal', { to: 9, dieAt: 2 });
    await server.untilMetrics('the second waits', (metrics) => metrics.queueSize('mortal') === 1);
    gate.open();
    const ends = await Promise.all([first.rest(), second.then((stream) => stream.rest())]);
    expect(ends.map(({ end }) => end)).toEqual(['worker_died', 'worker_died']);
    await server.untilReady();
    expect((await (await open('mortal', { to: 1 })).rest()).end).toBe('[DONE]');
  });
});

it('P7: what was admitted is streamed to its end while the server stops', async () => {
  const own = await startServer({ models: { counting: { module, function: 'counting' } } });
  const gate = new Gate();
  const data = { to: 200, gate: gate.path, padding: 10_000 };
  const stream = await EventStream.open<Counted>(`${own.url}/models/counting/stream`, { data });
  await gate.entered();
  const end = own.stop('SIGTERM');
  await waitUntil(
    'it stops',
    () => own.logged('stopping: new requests are refused, admitted ones are answered').length > 0,
  );
  gate.open();
  const { tokens, end: last } = await stream.rest();
  expect([tokens.length, last]).toEqual([200, '[DONE]']);
  expect(await end).toEqual({ code: 0, signal: null });
});

/** A class of an application as it was built, which is how its decorators were meant to be compiled. */
async function load<T>(file: string, name: string): Promise<Type<T>> {
  return ((await import(fixture(`storyteller/${file}`))) as Record<string, Type<T>>)[name]!;
}

it('inside an application a handle gives the tokens, until its caller has had enough', async () => {
  const application = await load('storyteller.module', 'StorytellerModule');
  const app = await NestFactory.createApplicationContext(application, { logger: false, abortOnError: false });
  const teller = app.get(await load<Storyteller>('storyteller', 'Storyteller'));
  const heard: string[] = [];
  for await (const word of teller.story.stream('once upon a time')) {
    heard.push(word);
    if (heard.length === 5) break;
  }
  expect(heard).toEqual(['once', 'upon', 'a', 'time', 'once']);
  await waitUntil('the teller has ended', () => teller.hasEnded);
  await app.close();
});
