import { afterAll, describe, expect, it } from 'vitest';
import type { Answer } from '../harness/answer.js';
import { fixture } from '../harness/configuration-file.js';
import { Gate } from '../harness/gate.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const SIZE = 3;
const ofThree = { window: 'fixed', max_wait_time: 20, max_batch_size: SIZE, breaker: { threshold: 1000 } };
const server = await startServer({
  models: {
    breaker: { module: fixture('misbehaving'), function: 'breakContract', ...ofThree },
    breaker8: { module: fixture('misbehaving'), function: 'breakContract', ...ofThree, max_batch_size: 8 },
    single: { module: fixture('misbehaving'), function: 'breakContract', max_batch_size: 1 },
    odd: { module: fixture('misbehaving'), function: 'oddResults', ...ofThree },
  },
});
afterAll(() => stopAndCheck(server));

/** Sends these items at once; the fixed window makes one batch of them. */
function batchOf(model: string, items: readonly string[]): Promise<Answer[]> {
  return Promise.all(items.map((item) => server.predict(model, item)));
}

async function expectGoesOn(model: string, size = SIZE): Promise<void> {
  const answers = await batchOf(
    model,
    Array.from({ length: size }, () => 'well'),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: size }, () => 200));
}

describe('P2: a handler that breaks its contract', () => {
  it.each([
    ['BC-018', 'string', 'a string'],
    ['BC-018', 'null', 'null'],
    ['BC-018', 'nothing', 'nothing'],
    ['BC-018', 'map', 'a Map'],
    ['BC-018', 'set', 'a Set'],
    ['BC-018', 'typed array', 'a Float32Array'],
    ['BC-018', 'array-like', 'an object'],
    ['BC-019', 'columns', 'an object'],
    ['BC-020', 'all in one', 'returned 1'],
    ['BC-023', 'one too few', 'returned 2'],
    ['BC-023', 'one too many', 'returned 4'],
    ['BC-026', 'sparse', 'result 0 is missing'],
    ['BC-026', 'undefined entry', 'result 2 is missing'],
  ])('%s: %s is answered with 502 that says so, and the server goes on', async (_, how, said) => {
    const failed = (await server.metrics()).ended('breaker', 'failed');
    // The batch's first item says how to break the contract; which of the three comes first is open.
    const answers = await batchOf('breaker', [how, how, how]);
    for (const { status, headers, body } of answers) {
      expect(status).toBe(502);
      expect(headers.get('content-type')).toContain('application/problem+json');
      expect(body).toMatchObject({ status: 502, code: 'contract_violation' });
      expect(body.detail).toContain('an array of 3 results');
      expect(body.detail).toContain(said);
    }
    expect((await server.metrics()).ended('breaker', 'failed')).toBe(failed + SIZE);
    await expectGoesOn('breaker');
  });

  it('BC-016: is told apart also for a batch of one', async () => {
    const { status, body } = await server.predict('single', 'string');
    expect(status).toBe(502);
    expect(body.detail).toContain('an array of 1 result,');
  });
});

describe('a handler that fails', () => {
  it('BC-022: on a batch of 8 is answered to all 8 clients, without its inner words', async () => {
    const answers = await batchOf(
      'breaker8',
      Array.from({ length: 8 }, () => 'throw'),
    );
    for (const { status, body } of answers) {
      expect(status).toBe(500);
      expect(body.code).toBe('handler_failed');
      expect(JSON.stringify(body)).not.toContain('secret');
    }
    await expectGoesOn('breaker8', 8);
    expect(JSON.stringify(server.logged('a batch failed'))).toContain('a secret of the model');
  });

  it('may say with a ServingError what its clients are told', async () => {
    const [{ status, body }] = (await batchOf(
      'breaker',
      Array.from({ length: SIZE }, () => 'throw for clients'),
    )) as [Answer];
    expect(status).toBe(422);
    expect(body.detail).toBe('the model cannot take this');
  });

  it('P8: may throw what is no error', async () => {
    const answers = await batchOf(
      'breaker',
      Array.from({ length: SIZE }, () => 'throw nothing'),
    );
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500]);
    await expectGoesOn('breaker');
  });

  it('BC-040: while its client is gone harms nobody', async () => {
    const gate = new Gate();
    const client = new AbortController();
    const call = server
      .predict('single', 'throw', { parameters: { gate: gate.path }, signal: client.signal })
      .catch(() => 'left');
    await gate.entered();
    client.abort();
    expect(await call).toBe('left');
    gate.open();
    expect((await server.predict('single', 'well')).status).toBe(200);
  });
});

describe('P3: a slot of the result', () => {
  it.each([
    ['BC-026: an Error', 'error', 500, 'this picture is upside down'],
    ['BC-026: a ServingError', 'error for clients', 422, 'this picture is too dark'],
    ['an Error that is its own cause', 'error that is its own cause', 500, 'round and round'],
    ['a function', 'function', 502, 'cannot be sent'],
    ['a symbol', 'symbol', 502, 'cannot be sent'],
    ['a getter that throws', 'throwing getter', 502, 'cannot be sent'],
    ['a value that holds itself', 'circle', 502, ''],
    ['a Map inside', 'map', 502, 'a Map'],
    ['BC-097: NaN', 'not a number', 500, 'NaN'],
    ['BC-097: a tensor with Infinity', 'infinite tensor', 500, 'Infinity'],
  ])('%s hits its own client only', async (_, item, expectedStatus, said) => {
    const [before, answer, after] = (await batchOf('odd', ['before', item, 'after'])) as [
      Answer,
      Answer,
      Answer,
    ];
    expect([before.status, after.status]).toEqual([200, 200]);
    expect([before.body.result, after.body.result]).toEqual([{ data: 'before' }, { data: 'after' }]);
    expect(answer.status).toBe(expectedStatus);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.body.detail).toContain(said);
  });

  it('may hold null, 0 or an empty list, which are results', async () => {
    const answers = await batchOf('odd', ['null', 'zero', 'empty']);
    expect(answers.map(({ status, body }) => [status, body.result])).toEqual([
      [200, null],
      [200, 0],
      [200, []],
    ]);
  });
});
