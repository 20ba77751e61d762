import type { SubmitOptions } from '#batching';
import { describe, expect, it } from 'vitest';
import type { RandomSource } from '../random-source.js';
import { capacityPerMs, meanServiceMs } from '../service-law.js';
import { runMixed, type MixedItem, type MixedModel } from './mixed-trace.js';

const SEEDS = [11, 12, 13, 14, 15];
const DURATION_MS = 10_000;
const PATIENCE_MS = 60_000;
const GPU = { law: { baseMs: 4, perCostMs: 0.25 }, limit: 32 } as const;
const GPU_CAPACITY_PER_MS = capacityPerMs(GPU.law, GPU.limit);

const gpuRunMs = (items: readonly MixedItem[]) => meanServiceMs(GPU.law, items.length);

/** Half of the items in a hurry, half not. */
function mixedDeadlines(load: number): MixedModel {
  const tight: MixedItem = { kind: 'tight', length: 1, options: { timeoutMs: 25 } };
  const loose: MixedItem = { kind: 'loose', length: 1, options: { timeoutMs: 150 } };
  return {
    limit: GPU.limit,
    timeoutMs: 150,
    ratePerMs: load * GPU_CAPACITY_PER_MS,
    runMs: gpuRunMs,
    draw: (random) => (random.next() < 0.5 ? tight : loose),
    samples: [loose],
  };
}

/** Models of one law, of which one gets most of the load. */
function skewedModels(load: number): MixedModel[] {
  return [0.7, 0.1, 0.1, 0.1].map((share, index) => {
    const item: MixedItem = { kind: `model ${index}`, length: 1, options: {} };
    return {
      limit: GPU.limit,
      timeoutMs: 50,
      ratePerMs: share * load * GPU_CAPACITY_PER_MS,
      runMs: gpuRunMs,
      draw: () => item,
      samples: [item],
    };
  });
}

const BUCKETS = [64, 128, 256, 512];

type GroupingRule = Pick<MixedModel, 'maxBatchCost'> & {
  /** What the batcher is told of an item of `length` tokens. */
  readonly options: (length: number) => SubmitOptions;
};

/** Items of one length bucket share a batch. */
const LENGTH_BUCKETS: GroupingRule = {
  options: (length) => ({ signature: `up to ${BUCKETS.find((end) => length <= end)}` }),
};

/** Whoever comes next shares a batch, up to 4096 tokens: the rule of text-embeddings-inference. */
const TOKEN_BUDGET: GroupingRule = { maxBatchCost: 4096, options: (length) => ({ cost: length }) };

/** Padded text: mostly short, some of it long. */
function paddedText(ratePerSecond: number, { maxBatchCost, options }: GroupingRule): MixedModel {
  const item = (length: number): MixedItem => ({
    kind: length <= 64 ? 'short' : 'long',
    length,
    options: options(length),
  });
  const integer = (random: RandomSource, low: number, high: number) =>
    low + Math.floor(random.next() * (high - low + 1));
  return {
    limit: 32,
    ...(maxBatchCost === undefined ? {} : { maxBatchCost }),
    timeoutMs: 150,
    ratePerMs: ratePerSecond / 1000,
    runMs: (items) => 1.5 + 0.004 * items.length * Math.max(...items.map(({ length }) => length)),
    draw: (random) => item(random.next() < 0.8 ? integer(random, 8, 64) : integer(random, 200, 512)),
    samples: [512, 256, 64].map(item),
  };
}

/** Means over the seeds: what was on time of everything, and of the kind of item that fared worst. */
function onTimeShares(models: readonly MixedModel[]): { all: number; worst: number } {
  let [all, worst] = [0, 0];
  for (const seed of SEEDS) {
    const { onTimeShare, onTimeShareByKind } = runMixed({ models, durationMs: DURATION_MS, seed });
    all += onTimeShare / SEEDS.length;
    worst += Math.min(...Object.values(onTimeShareByKind)) / SEEDS.length;
  }
  return { all, worst };
}

/** The highest load of padded text, a second, of which 0.99 are on time, to 2 %. */
function capacity(rule: GroupingRule): number {
  let [served, tooMuch] = [200, 3000];
  while (tooMuch / served > 1.02) {
    const rate = Math.sqrt(served * tooMuch);
    const { all } = onTimeShares([paddedText(rate, rule)]);
    if (all >= 0.99) served = rate;
    else tooMuch = rate;
  }
  return served;
}

describe('unlike items on one device', () => {
  it(
    'mixed deadlines, 25 and 150 ms, at full load: 0.99 on time',
    () => {
      expect(onTimeShares([mixedDeadlines(1)]).all).toBeGreaterThanOrEqual(0.99);
    },
    PATIENCE_MS,
  );

  it(
    'four models, 70/10/10/10 of a load of 0.8: 0.98 on time, the worst model 0.97',
    () => {
      const { all, worst } = onTimeShares(skewedModels(0.8));
      expect(all).toBeGreaterThanOrEqual(0.98);
      expect(worst).toBeGreaterThanOrEqual(0.97);
    },
    PATIENCE_MS,
  );

  it(
    'padded text of 8 to 512 tokens in length buckets, 1400/s: 0.99 on time',
    () => {
      expect(onTimeShares([paddedText(1400, LENGTH_BUCKETS)]).all).toBeGreaterThanOrEqual(0.99);
    },
    PATIENCE_MS,
  );

  it(
    'padded text in length buckets: at least 2.4 times the load that a token budget serves with 0.99 on time',
    () => {
      const withBuckets = capacity(LENGTH_BUCKETS);
      const withBudget = capacity(TOKEN_BUDGET);
      expect(withBuckets / withBudget).toBeGreaterThanOrEqual(2.4);
    },
    PATIENCE_MS,
  );
});
