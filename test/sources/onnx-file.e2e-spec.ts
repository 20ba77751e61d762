import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { oneOperator, writeFixture } from '../harness/onnx-file.js';
import { predictMany } from '../harness/predict-many.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

interface Classified {
  readonly probabilities: { readonly data: number[] };
  readonly top_labels: readonly { readonly label: string; readonly score: number }[];
}

const samples = JSON.parse(readFileSync('models/digits/samples/digits.json', 'utf8')) as {
  readonly label: number;
  readonly pixels: readonly number[];
}[];
const NAMES = 'zero one two three four five six seven eight nine'.split(' ');
const server = await startServer({
  models: {
    digits: {
      onnx: resolve('models/digits/digits.onnx'),
      labels: writeFixture('labels.txt', NAMES.join('\n')),
    },
    single: { onnx: writeFixture('single.onnx', oneOperator('Neg', [1, 2])), max_batch_size: 16 },
    triple: { onnx: writeFixture('triple.onnx', oneOperator('Neg', [3, 2])) },
    rows: { onnx: writeFixture('rows.onnx', oneOperator('Neg', [null, null])) },
    half: { onnx: writeFixture('half.onnx', oneOperator('Neg', [null, 2], 'float16')) },
    words: { onnx: writeFixture('words.onnx', oneOperator('Identity', [null], 'string')) },
    whole: { onnx: writeFixture('whole.onnx', oneOperator('Neg', [3, 2])), batched: false },
  },
});
afterAll(() => stopAndCheck(server));

const result = async (model: string, x: unknown) => (await server.predict(model, { x })).body.result;

describe('an ONNX file that is served without code', () => {
  it('P2: gives each of 40 items its own answer, from batches larger than 1', async () => {
    const before = (await server.metrics()).batches('digits');
    const calls = Array.from({ length: 40 }, (_, index) => samples[index % samples.length]!);
    const inputs = calls.map(({ pixels }) => ({ pixels }));
    const results = await predictMany<Classified>(server, 'digits', inputs);
    expect(results.map(({ top_labels: [best] }) => best!.label)).toEqual(
      calls.map(({ label }) => NAMES[label]),
    );
    const after = (await server.metrics()).batches('digits');
    expect(after.count - before.count).toBeLessThan(40);
  });

  it('adds the best labels, and the request says how many', async () => {
    const { body } = await server.predict<Classified>(
      'digits',
      { pixels: samples[14]!.pixels },
      { parameters: { top: 2 } },
    );
    const { top_labels: best, probabilities } = body.result;
    expect(best).toHaveLength(2);
    expect(best[0]).toMatchObject({ label: 'seven', index: 7 });
    expect(Math.fround(best[0]!.score)).toBe(Math.fround(Math.max(...probabilities.data)));
  });

  it('describes itself with its inputs, its outputs and an example that works', async () => {
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      paths: Record<
        string,
        { post: { requestBody: { content: Record<string, { example?: { data: unknown } }> } } }
      >;
    };
    const { example } = paths['/models/digits/predict']!.post.requestBody.content['application/json']!;
    const { status, body } = await server.predict<Classified>('digits', example!.data);
    expect([status, body.result.top_labels.length]).toEqual([200, 5]);
  });

  it('names the input that is wrong', async () => {
    const { status, body } = await server.predict('digits', { pixels: [1, 2] });
    expect(status).toBe(422);
    expect(body.errors?.[0]).toMatchObject({ field: '/data/pixels' });
    expect((await server.predict('digits', {})).body.errors).toEqual([
      { field: '/data/pixels', message: 'is required' },
    ]);
  });

  it.each(['single', 'triple'])(
    'BC-035 with a fixed batch axis answers every caller right: %s',
    async (model) => {
      const inputs = Array.from({ length: 10 }, (_, n) => [n, n + 0.5]);
      const answers = await Promise.all(inputs.map((x) => result(model, x)));
      expect(answers).toEqual(
        inputs.map((x) => ({ y: { dtype: 'float32', shape: [2], data: x.map((n) => -n || 0) } })),
      );
      const notice = server.logged(
        `'x' fixes the batch axis at ${model === 'single' ? 1 : 3}: batches are never larger; export the model with a free first axis`,
      );
      expect(notice.map(({ level }) => level)).toEqual([40]);
    },
  );

  it('P3: items of different shapes never meet', async () => {
    const inputs = [[1], [1, 2], [3], [3, 4], [1, 2, 3]];
    const answers = (await Promise.all(inputs.map((x) => result('rows', x)))) as { y: { data: number[] } }[];
    expect(answers.map(({ y }) => y.data)).toEqual(inputs.map((x) => x.map((n) => -n)));
  });

  it('BC-037 takes and gives float16 and texts as JSON has them', async () => {
    expect(await result('half', [1, -0.5])).toEqual({ y: { dtype: 'float16', shape: [2], data: [-1, 0.5] } });
    expect(await result('words', 'ä')).toEqual({ y: { dtype: 'string', shape: [], data: ['ä'] } });
    expect((await server.predict('half', { x: [1, 1e6] })).body.errors).toEqual([
      { field: '/data/x/1', message: 'must be a number that float16 can hold' },
    ]);
  });

  it('runs whole tensors where its first axis is said to be no batch axis', async () => {
    const x = [
      [1, 2],
      [3, 4],
      [5, 6],
    ];
    expect(await result('whole', x)).toMatchObject({ y: { shape: [3, 2], data: [-1, -2, -3, -4, -5, -6] } });
  });
});
