import { OnnxGraph } from '#onnx';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * Converts the network of the npm package `lande` to ONNX, and writes its n-grams as JSON.
 *
 *   node dist/models/language/convert.js [folder, default models/language]
 */

/** A dense layer as the package stores it. */
interface StoredLayer {
  readonly type: string;
  /** The number of its units. */
  readonly filters: number;
  readonly _biases: string;
  /** One text for each unit. */
  readonly _filters: readonly string[];
}

const folder = resolve(process.argv[2] ?? 'models/language');
const { layers } = await load<{ layers: StoredLayer[] }>('t50-options.js');
const ngramsByLength =
  await load<Record<'unigrams' | 'bigrams' | 'trigrams' | 'quadgrams', string[]>>('t50-ngrams.js');
const { unigrams, bigrams, trigrams, quadgrams } = ngramsByLength;
const ngrams = [...unigrams, ...bigrams, ...trigrams, ...quadgrams];
const [hidden, output] = layers.filter(({ type }) => type === 'dense');

const graph = new OnnxGraph('language');
const features = graph.input('features', 'float32', ['batch', ngrams.length]);
const activations = graph.node('Relu', [dense(features, hidden!, 'hidden')]);
const logits = dense(activations, output!, 'output');
const probabilities = graph.node('Softmax', [logits], { axis: 1 }, 'probabilities');
graph.output(probabilities, 'float32', ['batch', output!.filters]);

await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'language.onnx'), graph.toBytes());
await writeFile(join(folder, 'ngrams.json'), `${JSON.stringify(ngrams)}\n`);

function dense(input: string, { _filters: filters, _biases: biases }: StoredLayer, name: string): string {
  const rows = filters.map(decode);
  const inputs = rows[0]!.length;
  const weights = Float32Array.from(rows.flatMap((row) => Array.from(row)));
  return graph.node(
    'Gemm',
    [
      input,
      graph.weights([rows.length, inputs], weights, `${name}_weights`),
      graph.weights([rows.length], decode(biases), `${name}_bias`),
    ],
    { transB: 1 },
  );
}

/**
 * Reads weights in the package's 8-bit encoding: `1`, the scale, `|`, and in base64 one byte a weight, which
 * is the weight times the scale plus 127.
 */
function decode(stored: string): Float32Array<ArrayBuffer> {
  const [, scale, bytes] = /^1([\d.]+)\|(.+)$/.exec(stored) ?? [];
  if (scale === undefined || bytes === undefined)
    throw new Error('the weights are not in the 8-bit encoding');
  return Float32Array.from(Buffer.from(bytes, 'base64'), (byte) => (byte - 127) / Number(scale));
}

/** Imports one of the package's data files, which it does not export. */
async function load<T>(file: string): Promise<T> {
  const entry = pathToFileURL(createRequire(import.meta.url).resolve('lande'));
  const module = (await import(new URL(file, entry).href)) as { default: T };
  return module.default;
}
