import { DynamicBatcher, VirtualClock, type WindowPolicy } from '#batching';
import { startClients } from './clients.js';
import { Measurement, type RunSummary } from './measurement.js';
import { RandomSource } from './random-source.js';
import type { Scenario } from './scenario.js';
import { SimulatedLane, type SimulatedItem } from './simulated-lane.js';

const DEFAULT_TIMEOUT_MS = 30_000;

/** A window policy and the `maxWaitMs` that goes with it. */
export interface SimulatedPolicy {
  readonly name: string;
  readonly create: () => WindowPolicy;
  /** Default: the scenario's. */
  readonly maxWaitMs?: number;
}

/** Drives the real batcher through one scenario under a virtual clock. */
export function simulate(scenario: Scenario, policy: SimulatedPolicy): RunSummary {
  const clock = new VirtualClock();
  const random = new RandomSource(scenario.seed);
  const measurement = new Measurement(scenario.warmUpItems, scenario.items);
  const batcher = new DynamicBatcher<SimulatedItem, true>(
    {
      maxBatchSize: scenario.limit,
      maxWaitMs: policy.maxWaitMs ?? scenario.maxWaitMs,
      maxQueueSize: 100_000,
      timeoutMs: scenario.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      window: policy.create(),
    },
    clock,
    { batchEnded: (batch) => measurement.batchEnded(batch.size) },
  );
  const arrivals = random.fork();
  const costs = random.fork();
  for (let lane = 0; lane < scenario.lanes; lane++) {
    batcher.addLane(new SimulatedLane(lane, scenario.law, clock, random.fork()));
  }
  const [light, heavy] = [{ cost: 1 }, { cost: scenario.heavyCost ?? 1 }];
  const heavyShare = scenario.heavyShare ?? 0;
  startClients(
    scenario.workload,
    (onEnded) => {
      const sentAt = clock.now();
      batcher.enqueue(
        heavyShare > 0 && costs.next() < heavyShare ? heavy : light,
        {},
        () => {
          measurement.answered(clock.now(), clock.now() - sentAt);
          onEnded();
        },
        () => {
          measurement.dropped(clock.now());
          onEnded();
        },
      );
    },
    clock,
    arrivals,
  );
  while (!measurement.isOver && clock.step());
  return measurement.summary();
}
