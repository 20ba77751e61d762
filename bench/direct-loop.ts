import { elementCount, tensor } from '#model';
import { OnnxSession, SeededNumbers } from '#onnx';

/*
 * What the hardware gives: one ONNX session, run batch after batch on noise, with no server around it. It waits
 * for a request from the process that started it, and answers with the rate at each batch size.
 *
 *   GRAPH=model.onnx GRAPH_THREADS=1 node dist/bench/direct-loop.js      (with an IPC channel)
 */

/** Asks for one turn. */
export interface DirectLoopRequest {
  readonly batchSizes: readonly number[];
  /** Length of the turn, shared out evenly among the batch sizes. */
  readonly seconds: number;
}

/** Items a second at each batch size. */
export type DirectLoopResult = readonly { readonly batchSize: number; readonly rate: number }[];

const session = await OnnxSession.open(process.env['GRAPH']!, {
  device: 'cpu',
  intraOpThreads: Number(process.env['GRAPH_THREADS'] ?? 1),
});
const input = session.inputs[0]!;
const shape = input.shape.slice(1).map((axis) => axis!);
const numbers = new SeededNumbers(3);

async function rateAt(batchSize: number, milliseconds: number): Promise<number> {
  const data = numbers.uniform(batchSize * elementCount(shape), 1);
  const feeds = { [input.name]: tensor('float32', [batchSize, ...shape], data) };
  await session.run(feeds);
  const start = performance.now();
  let runs = 0;
  let elapsed = 0;
  do {
    await session.run(feeds);
    runs++;
    elapsed = performance.now() - start;
  } while (elapsed < milliseconds);
  return (runs * batchSize * 1000) / elapsed;
}

process.on('message', ({ batchSizes, seconds }: DirectLoopRequest) => {
  void (async () => {
    const result: { batchSize: number; rate: number }[] = [];
    for (const batchSize of batchSizes) {
      result.push({ batchSize, rate: await rateAt(batchSize, (seconds * 1000) / batchSizes.length) });
    }
    process.send!(result satisfies DirectLoopResult);
  })();
});
