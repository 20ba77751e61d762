import { DynamicBatcher, EagerWindow, VirtualClock, type WindowPolicy } from '#batching';
import { optimalOnTime } from '../optimal-schedule.js';
import { RandomSource } from '../random-source.js';
import { meanServiceMs } from '../service-law.js';
import { SimulatedLane, type SimulatedItem } from '../simulated-lane.js';
import { overloadArrivals, type OverloadArrivals } from './overload-arrivals.js';

/** Enough for the law and for the 64 batches that the safety factor remembers. */
const WARM_UP_BATCHES = 80;

/** A model under load, with one time limit for all its items. */
export interface OverloadCase extends OverloadArrivals {
  readonly timeoutMs: number;
  readonly window?: () => WindowPolicy;
  /** How much longer batches take than while the law was learned, and than the optimum reckons with. Default 1. */
  readonly slowdownAfterWarmUp?: number;
  /** Whether those are refused when they arrive that are predicted to be late. Default: no. */
  readonly admission?: boolean;
}

/** What became of the arrivals. */
export interface OverloadOutcome {
  readonly onTime: number;
  /** Refused when they arrived. */
  readonly refused: number;
  /** Runs that ended after the deadline of an item in them. */
  readonly late: number;
  readonly meanLatencyMs: number;
  /** The most that any schedule could have served in time, knowing all arrivals; it takes a while to find. */
  readonly optimum: () => number;
  /** Items served in time in each second of the run. */
  readonly onTimeBySecond: readonly number[];
}

/** Drives the real batcher with one lane through a trace, and computes the clairvoyant optimum of the same trace. */
export function runOverload(each: OverloadCase): OverloadOutcome {
  const arrivals = overloadArrivals(each);
  const { clock, batcher, slowDown, lateRuns } = createBatcher(each);
  const startedAt = warmUp(clock, batcher, each);
  slowDown(each.slowdownAfterWarmUp ?? 1);
  const lateInWarmUp = lateRuns();
  const onTimeBySecond = Array.from(
    { length: Math.ceil((arrivals.at(-1)! + each.timeoutMs) / 1000) },
    () => 0,
  );
  let onTime = 0;
  let refused = 0;
  let latency = 0;
  for (const arrival of arrivals) {
    clock.setTimer(arrival, () => {
      const resolve = () => {
        const at = clock.now() - startedAt;
        onTime++;
        latency += at - arrival;
        onTimeBySecond[Math.floor(at / 1000)]!++;
      };
      if (each.admission === true && !admits(batcher)) refused++;
      else batcher.enqueue({ cost: 1 }, {}, resolve, ignore);
    });
  }
  while (clock.step());
  const { law, limit, timeoutMs } = each;
  const serviceMs = (size: number) => meanServiceMs(law, size);
  return {
    onTime,
    refused,
    late: lateRuns() - lateInWarmUp,
    meanLatencyMs: latency / onTime,
    optimum: () => optimalOnTime({ arrivals, serviceMs, limit, timeoutMs }),
    onTimeBySecond,
  };
}

/** Lets the batcher learn the law: batches of 1, 2, 4 … items with time between them. Returns when it is over. */
function warmUp(
  clock: VirtualClock,
  batcher: DynamicBatcher<SimulatedItem, true>,
  { law, limit }: OverloadCase,
): number {
  const gapMs = 2 * meanServiceMs(law, limit);
  let size = 1;
  for (let round = 0; round < WARM_UP_BATCHES; round++) {
    for (let item = 0; item < size; item++) batcher.enqueue({ cost: 1 }, {}, ignore, ignore);
    clock.runUntil(clock.now() + gapMs);
    size = size * 2 > limit ? 1 : size * 2;
  }
  return clock.now();
}

function ignore(): void {
  // What happens while the law is learned is not measured, and who is not on time is late.
}

function admits(batcher: DynamicBatcher<SimulatedItem, true>): boolean {
  try {
    batcher.assertAdmits();
    return true;
  } catch {
    return false;
  }
}

function createBatcher({ law, limit, timeoutMs, seed, window }: OverloadCase) {
  const clock = new VirtualClock();
  let late = 0;
  const observer = {
    batchEnded: (batch: { items: readonly { arrival: number }[]; endedAt: number | undefined }) => {
      for (const { arrival } of batch.items) if (batch.endedAt! > arrival + timeoutMs + 1e-6) late++;
    },
  };
  const batcher = new DynamicBatcher<SimulatedItem, true>(
    {
      maxBatchSize: limit,
      maxWaitMs: 10,
      maxQueueSize: 1_000_000,
      timeoutMs,
      window: window?.() ?? new EagerWindow(),
    },
    clock,
    observer,
  );
  // The lane looks the law up at each run.
  const laneLaw = { ...law };
  batcher.addLane(new SimulatedLane(0, laneLaw, clock, new RandomSource(seed)));
  const slowDown = (factor: number) => {
    laneLaw.baseMs *= factor;
    laneLaw.perCostMs *= factor;
  };
  return { clock, batcher, slowDown, lateRuns: () => late };
}
