import { tensor } from '#model';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { renderedLine } from '../examples/text-orientation/rendered-line.js';
import { TextOrientationModel } from '../examples/text-orientation/text-orientation.model.js';
import { TextOrientationModule } from '../examples/text-orientation/text-orientation.module.js';
import { DigitsModel } from '../models/digits/digits.model.js';
import { DigitsModule } from '../models/digits/digits.module.js';
import { PIXELS, readDigits } from '../models/digits/training/digit-set.js';
import { LanguageModel } from '../models/language/language.model.js';
import { LanguageModule } from '../models/language/language.module.js';

/*
 * An item's answer must not depend on who shares its batch. A row that went to the wrong item shows here as a
 * wrong number.
 *
 * On x86-64 the numbers are equal bit for bit. Another CPU's kernels may add up a batch in another order; then
 * the test says so and allows this difference.
 */
const TOLERANCE = 1e-5;
const BATCH_SIZES = [2, 8, 32];
const MOST = Math.max(...BATCH_SIZES);

interface Subject {
  readonly module: Type;
  readonly handler: (app: INestApplicationContext) => (batch: never) => Promise<readonly unknown[]>;
  /** {@link MOST} items, no two of them equal. */
  readonly items: () => Promise<unknown[]>;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  digits: {
    module: DigitsModule,
    handler: (app) => (batch) => app.get(DigitsModel).read(batch),
    items: () => Promise.resolve(digits()),
  },
  language: {
    module: LanguageModule,
    handler: (app) => (batch) => app.get(LanguageModel).identify(batch),
    items: () => Promise.resolve(texts()),
  },
  'text-orientation': {
    module: TextOrientationModule,
    handler: (app) => (batch) => app.get(TextOrientationModel).classify(batch),
    items: pictures,
  },
};

describe.each(Object.entries(SUBJECTS))('%s', (_, { module, handler, items }) => {
  it.each(BATCH_SIZES)('BC-034 answers each item of a batch of %d as it answers it alone', async (size) => {
    const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    onTestFinished(() => app.close());
    const run = handler(app);
    const batch = (await items()).slice(0, size);
    const together = await run(batch as never);
    const alone: unknown[] = [];
    for (const item of batch) alone.push(...(await run([item] as never)));

    expect(together).toHaveLength(size);
    expect(new Set(alone.map((result) => JSON.stringify(result))).size).toBe(size);
    const difference = largestDifference(together, alone);
    if (difference > 0) process.stderr.write(`not bit for bit on this CPU: differs by up to ${difference}\n`);
    expect(difference).toBeLessThanOrEqual(TOLERANCE);
  });
});

/** The largest difference between two numbers at the same place; infinite when anything else differs. */
function largestDifference(first: unknown, second: unknown): number {
  if (typeof first === 'number' && typeof second === 'number') return Math.abs(first - second);
  if (typeof first !== 'object' || typeof second !== 'object') return first === second ? 0 : Infinity;
  const [values, others] = [Object.entries(first ?? {}), Object.entries(second ?? {})];
  if (values.length !== others.length) return Infinity;
  const differences = values.map(([key, value], index) => {
    const [otherKey, other] = others[index]! as [string, unknown];
    return key === otherKey ? largestDifference(value, other) : Infinity;
  });
  return Math.max(0, ...differences);
}

function digits(): unknown[] {
  const { heldOut } = readDigits();
  const step = Math.floor(heldOut.length / MOST);
  return Array.from({ length: MOST }, (_, index) => ({
    pixels: tensor('float32', [PIXELS], heldOut[index * step]!.pixels),
  }));
}

function texts(): string[] {
  const sentences = [
    'The train to the coast leaves every morning at seven.',
    'Der Zug an die Küste fährt jeden Morgen um sieben Uhr ab.',
    'Поезд на побережье отправляется каждое утро в семь часов.',
    'Το τρένο για την ακτή φεύγει κάθε πρωί στις επτά.',
  ];
  return Array.from({ length: MOST }, (_, index) => {
    const sentence = sentences[index % sentences.length]!;
    return sentence.slice(0, sentence.length - index);
  });
}

/** Lines of text turned step by step, since the model is equally sure of all that stand straight. */
function pictures(): Promise<unknown[]> {
  return Promise.all(
    Array.from({ length: MOST }, async (_, index) => {
      const line = await renderedLine(`Parcel ${index}`);
      return sharp(line)
        .rotate(30 + 4 * index, { background: 'white' })
        .png()
        .toBuffer();
    }),
  );
}
