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

/** What a turn came to at each batch size. */
export type DirectLoopResult = readonly DirectLoopRate[];

/** @see DirectLoopResult */
export interface DirectLoopRate {
  readonly batchSize: number;
  /** Items a second. */
  readonly rate: number;
  /** CPU time for one item, in microseconds. */
  readonly cpuMicros: number;
}

const session = await OnnxSession.open(process.env['GRAPH']!, {
  device: 'cpu',
  intraOpThreads: Number(process.env['GRAPH_THREADS'] ?? 1),
});
const input = session.inputs[0]!;
const shape = input.shape.slice(1).map((axis) => axis!);
const numbers = new SeededNumbers(3);

async function rateAt(batchSize: number, milliseconds: number): Promise<DirectLoopRate> {
  const data = numbers.uniform(batchSize * elementCount(shape), 1);
  const feeds = { [input.name]: tensor('float32', [batchSize, ...shape], data) };
  await session.run(feeds);
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  let runs = 0;
  let elapsed = 0;
  do {
    await session.run(feeds);
    runs++;
    elapsed = performance.now() - start;
  } while (elapsed < milliseconds);
  const { user, system } = process.cpuUsage(cpuBefore);
  const items = runs * batchSize;
  return { batchSize, rate: (items * 1000) / elapsed, cpuMicros: (user + system) / items };
}

process.on('message', ({ batchSizes, seconds }: DirectLoopRequest) => {
  void (async () => {
    const result: DirectLoopRate[] = [];
    for (const batchSize of batchSizes) {
      result.push(await rateAt(batchSize, (seconds * 1000) / batchSizes.length));
    }
    process.send!(result satisfies DirectLoopResult);
  })();
});
