import { Session, type HeapProfiler } from 'node:inspector/promises';
import { describe, expect, it } from 'vitest';
import { createBatcher } from '../test/batcher-fixture.js';
import { ManualLane } from '../test/manual-lane.js';
import { WindowPolicies } from './window/window-policies.js';

const BATCH = 32;
const BATCHES = 1000;

/** Sums up what the profiler says was allocated, also what has been collected since. */
async function allocatedBytes(work: () => Promise<void>): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 512,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  } as HeapProfiler.StartSamplingParameterType);
  await work();
  const { profile } = await session.post('HeapProfiler.stopSampling');
  session.disconnect();
  const sum = (node: HeapProfiler.SamplingHeapProfileNode): number =>
    node.children.reduce((bytes, child) => bytes + sum(child), node.selfSize);
  return sum(profile.head);
}

/** Bytes that an item costs from its arrival to its answer, while so many others wait. */
async function bytesPerItem(window: string, queueSize: number): Promise<number> {
  const { clock, batcher } = createBatcher({
    maxBatchSize: BATCH,
    window: new WindowPolicies().create(window),
  });
  const lane = new ManualLane<number, number>();
  batcher.addLane(lane);
  const ended = () => undefined;
  const submit = (count: number) => {
    for (let item = 0; item < count; item++) batcher.enqueue(item, {}, ended, ended);
  };
  const work = async () => {
    for (let batch = 0; batch < BATCHES; batch++) {
      submit(BATCH);
      await clock.advance(1);
      lane.current.complete(lane.current.items.map(({ value }) => value));
    }
  };
  submit(queueSize);
  // The compiler has done its part by then.
  await work();
  return (await allocatedBytes(work)) / (BATCH * BATCHES);
}

describe('what the batcher allocates for an item', () => {
  it.each(['eager', 'auto'])('does not grow with the queue (%s)', async (window) => {
    const [short, long] = [await bytesPerItem(window, 100), await bytesPerItem(window, 20_000)];
    // A copy of the longer queue for each batch would make it ten times as much.
    expect(long / short).toBeLessThan(1.5);
  });
});
