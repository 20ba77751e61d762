import { BatchedHandler, stack, tensor } from '#model';
import { OnnxSession } from '#onnx';
import { Injectable } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { DigitInput } from './digit-input.dto.js';
import { DigitOutput } from './digit-output.dto.js';

const DIGITS = 10;
const PIXELS = 784;
const seven = readSample('seven.json') as { readonly data: { readonly pixels: readonly number[] } };
const samples = readSample('digits.json') as { readonly pixels: readonly number[] }[];

/** Reads handwritten digits. */
@Injectable()
export class DigitsModel {
  constructor(private readonly session: OnnxSession) {}

  /** One run for the whole batch, one result a picture. */
  @BatchedHandler({
    name: 'digits',
    version: '1',
    maxBatchSize: 64,
    input: DigitInput,
    output: DigitOutput,
    example: seven.data,
    warmup: samples.map(({ pixels }) => ({ pixels: tensor('float32', [PIXELS], Float32Array.from(pixels)) })),
    description: 'Reads a handwritten digit of 28 × 28 pixels.',
  })
  async read(batch: DigitInput[]): Promise<DigitOutput[]> {
    const { probabilities } = await this.session.run({ pixels: stack(batch.map(({ pixels }) => pixels)) });
    const rows = probabilities!.data as Float32Array;
    return batch.map((_, index) => digitOutput(rows.subarray(index * DIGITS, (index + 1) * DIGITS)));
  }
}

function readSample(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./samples/${name}`, import.meta.url), 'utf8'));
}

function digitOutput(row: Float32Array): DigitOutput {
  return { digit: row.indexOf(Math.max(...row)), probabilities: Array.from(row) };
}
