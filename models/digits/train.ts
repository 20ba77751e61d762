import { OnnxSession, SeededNumbers } from '#onnx';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PIXELS, readDigits } from './training/digit-set.js';
import { digitsGraph } from './training/digits-graph.js';
import { heldOutAccuracy } from './training/held-out-accuracy.js';
import { Perceptron } from './training/perceptron.js';
import { shifted } from './training/shifted.js';

/*
 * Trains the digits model and writes it.
 *
 *   node dist/models/digits/train.js [folder, default models/digits]
 */

const SEED = 20;
const HIDDEN = 96;
const EPOCHS = 24;
const BATCH = 32;
const FIRST_RATE = 0.1;
const MOMENTUM = 0.9;

const folder = resolve(process.argv[2] ?? 'models/digits');
const { training, heldOut } = readDigits();
const numbers = new SeededNumbers(SEED);
const network = new Perceptron(PIXELS, HIDDEN, 10, SEED);
const order = training.map((_, index) => index);

for (let epoch = 0; epoch < EPOCHS; epoch++) {
  // The rate falls in a straight line, so that the last epochs settle.
  const rate = FIRST_RATE * (1 - epoch / EPOCHS);
  numbers.shuffle(order);
  for (let start = 0; start < order.length; start += BATCH) {
    const batch = order.slice(start, start + BATCH);
    for (const index of batch) {
      const { pixels, label } = training[index]!;
      // A writer's digit a pixel to the side is the same digit: without this the model reads 95.1 % of the held-out digits.
      network.learn(shifted(pixels, numbers.nextBelow(3) - 1, numbers.nextBelow(3) - 1), label);
    }
    network.step(batch.length, { rate, momentum: MOMENTUM });
  }
  process.stdout.write(`epoch ${epoch + 1} of ${EPOCHS}\n`);
}

await mkdir(folder, { recursive: true });
const file = join(folder, 'digits.onnx');
await writeFile(file, digitsGraph(network).toBytes());
const session = await OnnxSession.open(file, { device: 'cpu', intraOpThreads: 1 });
const accuracy = await heldOutAccuracy(session, heldOut);
await session.release();
process.stdout.write(
  `${file}: ${(100 * accuracy).toFixed(2)} % of ${heldOut.length} held-out digits right, ` +
    `trained on ${training.length}\n`,
);
