import { DynamicBatcher, SystemClock, WindowPolicies, type Batch, type Lane } from '#batching';

/** A lane that answers at the next turn of the event loop: what is measured is the batcher. */
class EchoLane implements Lane<number, number> {
  readonly id = 0;
  readonly device = 'cpu';

  start(batch: Batch<number, number>): void {
    setImmediate(() => batch.complete(batch.items.map(({ value }) => value)));
  }
}

const BATCH = 32;
const ROUNDS = 5;
const BATCHES = 20_000;

/** Microseconds of CPU that the batcher takes for an item, in batches of 32 of a closed loop. */
async function costPerItem(window: string): Promise<number> {
  const batcher = new DynamicBatcher<number, number>(
    {
      maxBatchSize: BATCH,
      maxWaitMs: 10,
      maxQueueSize: 2 * BATCH,
      timeoutMs: 30_000,
      window: new WindowPolicies().create(window),
    },
    new SystemClock(),
  );
  batcher.addLane(new EchoLane());
  const before = process.cpuUsage();
  await new Promise<void>((resolve) => {
    let left = BATCH * BATCHES;
    let waiting = 0;
    const submit = () => {
      waiting++;
      batcher.enqueue(left, {}, onEnded, onEnded);
    };
    const onEnded = () => {
      left--;
      if (--waiting > 0) return;
      if (left <= 0) resolve();
      else for (let item = 0; item < BATCH; item++) submit();
    };
    for (let item = 0; item < BATCH; item++) submit();
  });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (BATCH * BATCHES);
}

for (const window of ['eager', 'auto']) {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await costPerItem(window));
  const sorted = rounds.toSorted((a, b) => a - b);
  const [best, median] = [sorted[0]!, sorted[Math.floor(ROUNDS / 2)]!];
  console.log(
    `${window}: ${median.toFixed(2)} µs of CPU an item at batch ${BATCH} (best of ${ROUNDS}: ${best.toFixed(2)})`,
  );
}
