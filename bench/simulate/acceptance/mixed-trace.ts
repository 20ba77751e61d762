import { DeviceArbiter, DynamicBatcher, EagerWindow, VirtualClock, type SubmitOptions } from '#batching';
import { startClients } from '../clients.js';
import { RandomSource } from '../random-source.js';
import { ItemLane } from './item-lane.js';

/** Batches of each kind and model: enough for the law and for the 64 batches that the safety factor remembers. */
const WARM_UP_BATCHES = 80;

/** One item of a mixed load. */
export interface MixedItem {
  /** What it is counted under. */
  readonly kind: string;
  /** What its batch's run time depends on; 1 where only the count matters. */
  readonly length: number;
  readonly options: SubmitOptions;
}

/** A model under a load of unlike items. */
export interface MixedModel {
  readonly limit: number;
  readonly maxBatchCost?: number;
  readonly timeoutMs: number;
  readonly ratePerMs: number;
  readonly runMs: (items: readonly MixedItem[]) => number;
  readonly draw: (random: RandomSource) => MixedItem;
  /** The items from whose batches the law is learned beforehand, one of each kind of batch. */
  readonly samples: readonly MixedItem[];
}

/** Models that share one device, which runs one batch at a time. */
export interface MixedCase {
  readonly models: readonly MixedModel[];
  /** Arrivals come for so long; what has come then is still served. */
  readonly durationMs: number;
  readonly seed: number;
}

/** What became of the arrivals. */
export interface MixedOutcome {
  readonly onTimeShare: number;
  readonly onTimeShareByKind: Readonly<Record<string, number>>;
}

interface Tally {
  arrived: number;
  onTime: number;
}

/** Drives one real batcher per model, all on one device, through Poisson arrivals. */
export function runMixed({ models, durationMs, seed }: MixedCase): MixedOutcome {
  const clock = new VirtualClock();
  const devices = new DeviceArbiter(1);
  const batchers = models.map((model) => createBatcher(model, clock, devices));
  models.forEach((model, index) => warmUp(clock, batchers[index]!, model));
  const random = new RandomSource(seed);
  const end = clock.now() + durationMs;
  const tallies = new Map<string, Tally>();
  models.forEach((model, index) => {
    const items = random.fork();
    const send = () => {
      if (clock.now() < end) offer(batchers[index]!, model.draw(items), tallies);
    };
    startClients({ kind: 'open', ratePerMs: model.ratePerMs }, send, clock, random.fork());
  });
  const longestTimeoutMs = Math.max(...models.map(({ timeoutMs }) => timeoutMs));
  clock.runUntil(end + longestTimeoutMs);
  return summary(tallies);
}

function createBatcher(
  { limit, maxBatchCost, timeoutMs, runMs }: MixedModel,
  clock: VirtualClock,
  devices: DeviceArbiter,
) {
  const options = {
    maxBatchSize: limit,
    ...(maxBatchCost === undefined ? {} : { maxBatchCost }),
    maxWaitMs: 10,
    maxQueueSize: 1_000_000,
    timeoutMs,
    window: new EagerWindow(),
  };
  const batcher = new DynamicBatcher<MixedItem, true>(options, clock, {}, devices);
  batcher.addLane(new ItemLane(runMs, clock));
  return batcher;
}

/** Lets the batcher learn the law: batches of 1, 2, 4 … items of each kind with time between them. */
function warmUp(
  clock: VirtualClock,
  batcher: DynamicBatcher<MixedItem, true>,
  { limit, runMs, samples }: MixedModel,
): void {
  for (const sample of samples) {
    const gapMs = 2 * runMs(Array.from({ length: limit }, () => sample));
    let size = 1;
    for (let round = 0; round < WARM_UP_BATCHES; round++) {
      for (let item = 0; item < size; item++) batcher.enqueue(sample, sample.options, ignore, ignore);
      clock.runUntil(clock.now() + gapMs);
      size = size * 2 > limit ? 1 : size * 2;
    }
  }
}

/** The batcher ends an item at its deadline: what has a result has it in time. */
function offer(batcher: DynamicBatcher<MixedItem, true>, item: MixedItem, tallies: Map<string, Tally>): void {
  const tally = tallies.get(item.kind) ?? { arrived: 0, onTime: 0 };
  tallies.set(item.kind, tally);
  tally.arrived++;
  batcher.enqueue(item, item.options, () => tally.onTime++, ignore);
}

function summary(tallies: ReadonlyMap<string, Tally>): MixedOutcome {
  const all = [...tallies.values()];
  const sum = (count: (tally: Tally) => number) => all.reduce((total, tally) => total + count(tally), 0);
  return {
    onTimeShare: sum(({ onTime }) => onTime) / sum(({ arrived }) => arrived),
    onTimeShareByKind: Object.fromEntries(
      [...tallies].map(([kind, { arrived, onTime }]) => [kind, onTime / arrived]),
    ),
  };
}

function ignore(): void {
  // Neither what happens while the law is learned nor what comes late is counted.
}
