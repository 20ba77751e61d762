import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { resNet18 } from './resnet-18.js';
import { textEncoder } from './text-encoder.js';
import { wideMlp } from './wide-mlp.js';

/*
 * Writes the models of the benchmarks and prints the SHA-256 of each: the same on every machine.
 *
 *   node dist/bench/graphs/write-graphs.js FOLDER
 */

const GRAPHS = {
  'wide-mlp.onnx': () => wideMlp(),
  'resnet-18.onnx': () => resNet18(),
  'text-encoder.onnx': () => textEncoder(),
};

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: node dist/bench/graphs/write-graphs.js FOLDER\n');
  process.exitCode = 2;
} else {
  await mkdir(resolve(folder), { recursive: true });
  for (const [name, build] of Object.entries(GRAPHS)) {
    const bytes = build();
    await writeFile(join(resolve(folder), name), bytes);
    const digest = createHash('sha256').update(bytes).digest('hex');
    process.stdout.write(`${digest}  ${name}  ${bytes.length} bytes\n`);
  }
}
