import { DATA_TYPES, elementCount, type Tensor, type TypedArray } from '#model';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { SeededNumbers } from '../writer/seeded-numbers.js';
import type { WarmupTensor } from './onnx-model-settings.js';
import { sampleTensor } from './sample-items.js';
import type { TensorRecord } from './tensor-record.js';

/**
 * Makes the samples that somebody has declared.
 *
 * @throws {Error} when a file cannot be read or does not hold what is declared
 */
export function warmupSamples(
  declared: readonly Readonly<Record<string, WarmupTensor>>[],
): Promise<TensorRecord[]> {
  const numbers = new SeededNumbers(declared.length);
  return Promise.all(
    declared.map(async (inputs) => {
      const tensors = Object.entries(inputs).map(async ([name, input]): Promise<[string, Tensor]> => [
        name,
        await warmupTensor(name, input, numbers),
      ]);
      return Object.fromEntries(await Promise.all(tensors));
    }),
  );
}

async function warmupTensor(
  name: string,
  { dtype, shape: axes, data }: WarmupTensor,
  numbers: SeededNumbers,
): Promise<Tensor> {
  const shape = axes.map((axis) => axis ?? 1);
  if (data === 'random') return sampleTensor(dtype, shape, numbers);
  const length = elementCount(shape);
  if (dtype === 'string') {
    if (data === 'zeros') return { dtype, shape, data: Array<string>(length).fill('') };
    throw new Error(`the warm-up of '${name}' cannot come from a file: only numbers can`);
  }
  const array: TypedArray = new DATA_TYPES[dtype].array(length);
  if (data !== 'zeros') fill(array, await readData(data.file), data.file);
  return { dtype, shape, data: array };
}

async function readData(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`the warm-up file '${basename(file)}' cannot be read (${code})`, { cause: error });
  }
}

function fill(array: TypedArray, bytes: Buffer, file: string): void {
  if (bytes.length !== array.byteLength) {
    throw new Error(
      `the warm-up file '${basename(file)}' holds ${bytes.length} bytes in place of ${array.byteLength}`,
    );
  }
  new Uint8Array(array.buffer).set(bytes);
}
