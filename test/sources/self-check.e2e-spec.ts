import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { mixingRows, oneOperator, writeFixture } from '../harness/onnx-file.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';
import { waitUntil } from '../harness/wait-until.js';

interface HealthReport {
  readonly info?: Readonly<Record<string, object>>;
  readonly error?: Readonly<Record<string, { readonly state?: string; readonly reason?: string }>>;
}

const mixing = writeFixture('mixing.onnx', mixingRows());
const negation = writeFixture('negation.onnx', oneOperator('Neg', [null, 2]));
const server = await startServer({
  models: {
    good: { onnx: negation, max_batch_size: 16 },
    mixing: { onnx: mixing },
    careful: { onnx: mixing, self_check: 'limit' },
    trusted: { onnx: mixing, self_check: 'off' },
    'order-lost': { module: fixture('order-lost'), function: 'OrderLostModule' },
    'order-kept': { module: fixture('order-lost'), function: 'OrderLostModule', self_check: 'limit' },
    dice: { module: fixture('order-lost'), function: 'DiceModule' },
    text: { onnx: writeFixture('text.onnx', 'no model') },
    missing: { onnx: `${negation}.missing` },
  },
  until: 'listening',
});
afterAll(() => stopAndCheck(server));

async function health(): Promise<HealthReport> {
  return (await (await fetch(`${server.url}/health`)).json()) as HealthReport;
}

beforeAll(() =>
  waitUntil('no model is loading', async () => {
    const { error = {} } = await health();
    return Object.values(error).every(({ state }) => state !== 'loading');
  }),
);

describe('what the check at load does', () => {
  it.each([
    [
      'mixing',
      /self-check: item \d of a batch of 32 is not what it is alone: \/y\/\d is -?0\.\d+ in place of 0/,
    ],
    [
      'order-lost',
      /self-check: item 0 of a batch of 4 is not what it is alone: the result is "a" in place of "b"/,
    ],
  ])('BC-035 refuses %s, and says what differed', async (name, reason) => {
    const { error = {} } = await health();
    expect(error[`model:${name}`]).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(reason) as string,
    });
    expect((await server.predict(name, { x: [1, 2] })).status).toBe(503);
  });

  it('BC-035 limits a model to single items where the operator wants that', async () => {
    const rows = Array.from({ length: 12 }, (_, n) => [n, n + 1]);
    const answers = await Promise.all(rows.map((x) => server.predict('careful', { x })));
    expect(answers.map(({ body }) => body.result)).toEqual(
      rows.map(() => ({ y: { dtype: 'float32', shape: [2], data: [0, 0] } })),
    );
    expect((await server.metrics()).batches('careful')).toMatchObject({ count: 12, items: 12 });
    const words = ['d', 'c', 'b', 'a'];
    const echoed = await Promise.all(words.map((word) => server.predict('order-kept', word)));
    expect(echoed.map(({ body }) => body.result)).toEqual(words);
  });

  it('leaves alone what the operator trusts, and what is random', async () => {
    expect((await server.predict('trusted', { x: [1, 2] })).status).toBe(200);
    expect((await server.predict<number>('dice', 6)).body.result).toBeLessThan(6);
    const [line] = server.logged(
      server.process.stdoutLines
        .map((text) => (JSON.parse(text) as { msg: string }).msg)
        .find((msg) => msg.startsWith('self-check: not possible'))!,
    );
    expect(line).toMatchObject({ model: 'dice', level: 40 });
  });

  it('does not count its runs', async () => {
    const before = (await server.metrics()).batches('good');
    expect(before.items).toBe(0);
    expect((await server.predict('good', { x: [1, 2] })).status).toBe(200);
    expect((await server.metrics()).batches('good')).toMatchObject({ count: 1, items: 1 });
  });

  it.each([
    ['text', "'text.onnx' is no ONNX model, or is damaged"],
    ['missing', "there is no file 'negation.onnx.missing'"],
  ])(
    'a file that cannot be opened (%s) fails alone, with its reason and without its path',
    async (name, reason) => {
      const { error = {} } = await health();
      expect(error[`model:${name}`]).toMatchObject({
        state: 'failed',
        reason: expect.stringContaining(reason) as string,
      });
      expect(JSON.stringify(error)).not.toContain('/tmp');
    },
  );
});
