import { tensor } from '#model';
import { OnnxSession } from '#onnx';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PIXELS, readDigits, type LabelledDigit } from './training/digit-set.js';

/*
 * Writes the sample pictures: for each digit the first two held-out ones that the model reads rightly.
 *
 *   node dist/models/digits/write-samples.js [folder, default models/digits]
 */

const PER_DIGIT = 2;

const folder = resolve(process.argv[2] ?? 'models/digits');
const session = await OnnxSession.open(join(folder, 'digits.onnx'), { device: 'cpu', intraOpThreads: 1 });
const samples: { label: number; pixels: number[] }[] = [];
for (const digit of readDigits().heldOut) {
  if (samples.filter(({ label }) => label === digit.label).length === PER_DIGIT) continue;
  const pixels = Array.from(digit.pixels, (value) => Number(value.toFixed(3)));
  if (await isReadRightly(pixels, digit)) samples.push({ label: digit.label, pixels });
}
await session.release();

const lines = samples.map((sample) => `  ${JSON.stringify(sample)}`);
await writeFile(join(folder, 'samples', 'digits.json'), `[\n${lines.join(',\n')}\n]\n`);
const { pixels } = samples.find(({ label }) => label === 7)!;
await writeFile(join(folder, 'samples', 'seven.json'), `${JSON.stringify({ data: { pixels } })}\n`);

async function isReadRightly(rounded: number[], { label }: LabelledDigit): Promise<boolean> {
  const input = tensor('float32', [1, PIXELS], Float32Array.from(rounded));
  const { probabilities } = await session.run({ pixels: input });
  const row = probabilities!.data as Float32Array;
  return row.indexOf(Math.max(...row)) === label;
}
