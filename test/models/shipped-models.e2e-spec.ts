import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { shippedModel } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

interface DigitAnswer {
  readonly digit: number;
  readonly probabilities: readonly number[];
}

const samples = JSON.parse(readFileSync('models/digits/samples/digits.json', 'utf8')) as {
  readonly label: number;
  readonly pixels: readonly number[];
}[];
const server = await startServer({
  models: { digits: { module: shippedModel('digits') }, language: { module: shippedModel('language') } },
});
afterAll(() => stopAndCheck(server));

describe('the digits model', () => {
  it("reads the README's digit", async () => {
    const { status, body } = await server.send<DigitAnswer>('/models/digits/predict', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: readFileSync('models/digits/samples/seven.json'),
    });
    expect(status).toBe(200);
    expect(body.result.digit).toBe(7);
    expect(body.result.probabilities).toHaveLength(10);
    expect(body.processing_time).toBeGreaterThan(0);
  });

  it('P2: gives each of 64 parallel callers its own digit, from batches larger than 1', async () => {
    const before = (await server.metrics()).batches('digits');
    const calls = Array.from({ length: 64 }, (_, index) => samples[(index * 7) % samples.length]!);
    const answers = await Promise.all(
      calls.map(({ pixels }) => server.predict<DigitAnswer>('digits', { pixels })),
    );
    expect(answers.map(({ body }) => body.result.digit)).toEqual(calls.map(({ label }) => label));
    const after = (await server.metrics()).batches('digits');
    expect(after.items - before.items).toBe(64);
    expect(after.count - before.count).toBeLessThan(64);
  });

  it('names the pixel that is wrong', async () => {
    const pixels = samples[0]!.pixels.with(17, 'ink' as unknown as number);
    const { status, body } = await server.predict('digits', { pixels });
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field: '/data/pixels/17', message: expect.any(String) as string }]);
  });
});

describe('the language model', () => {
  it.each([
    ['Wo ist der nächste Bahnhof, bitte?', 'deu'],
    ['Où se trouve la gare la plus proche ?', 'fra'],
    ['Где находится ближайший вокзал?', 'rus'],
  ])('recognises the language of "%s"', async (text, language) => {
    const { status, body } = await server.predict<{ language: string }>('language', text);
    expect(status).toBe(200);
    expect(body.result.language).toBe(language);
  });
});
