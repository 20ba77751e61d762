import { tensor } from '#model';
import { OnnxSession } from '#onnx';
import { Test } from '@nestjs/testing';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DigitsModel } from './digits.model.js';
import { DigitsModule } from './digits.module.js';
import { PIXELS, readDigits } from './training/digit-set.js';
import { heldOutAccuracy } from './training/held-out-accuracy.js';

function readSample(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./samples/${name}`, import.meta.url), 'utf8'));
}

function input(pixels: readonly number[]) {
  return { pixels: tensor('float32', [PIXELS], Float32Array.from(pixels)) };
}

describe('digits', () => {
  let session: OnnxSession;
  let model: DigitsModel;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const app = await Test.createTestingModule({ imports: [DigitsModule] }).compile();
    session = app.get(OnnxSession, { strict: false });
    model = app.get(DigitsModel);
    close = () => app.close();
  });

  afterAll(() => close());

  it('holds out every digit, and no picture twice', () => {
    const { training, heldOut } = readDigits();
    expect([training.length, heldOut.length]).toEqual([8500, 1500]);
    expect(new Set(heldOut.map(({ label }) => label)).size).toBe(10);
    const seen = new Set(training.map(({ pixels }) => pixels.join()));
    expect(heldOut.filter(({ pixels }) => seen.has(pixels.join()))).toEqual([]);
  });

  it('reads at least 94 % of the last 15 % of each digit, which training did not see', async () => {
    const { heldOut } = readDigits();
    expect(await heldOutAccuracy(session, heldOut)).toBeGreaterThanOrEqual(0.94);
  });

  it('reads the samples', async () => {
    const samples = readSample('digits.json') as { label: number; pixels: number[] }[];
    expect(samples.map(({ label }) => label)).toEqual(
      Array.from({ length: 20 }, (_, i) => Math.floor(i / 2)),
    );
    const outputs = await model.read(samples.map(({ pixels }) => input(pixels)));
    expect(outputs.map(({ digit }) => digit)).toEqual(samples.map(({ label }) => label));
    for (const { probabilities } of outputs) {
      expect(probabilities).toHaveLength(10);
      expect(probabilities.reduce((sum, probability) => sum + probability, 0)).toBeCloseTo(1, 5);
    }
  });

  it('reads the seven of the first example', async () => {
    const { data } = readSample('seven.json') as { data: { pixels: number[] } };
    expect(await model.read([input(data.pixels)])).toMatchObject([{ digit: 7 }]);
  });
});
