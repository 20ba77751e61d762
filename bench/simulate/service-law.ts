import type { RandomSource } from './random-source.js';

/** How long a simulated lane runs a batch: α + β·Σcost, with noise and outliers. */
export interface ServiceLaw {
  /** α, in milliseconds. */
  readonly baseMs: number;
  /** β, in milliseconds per unit of cost; an item costs 1 unless the workload says otherwise. */
  readonly perCostMs: number;
  /** Half-normal noise that only adds, as a share of the run time. Default 0. */
  readonly noise?: number;
  /** Share of batches that run `outlierMs` longer. Default 0. */
  readonly outlierShare?: number;
  readonly outlierMs?: number;
  /** The first runs of each lane take this much longer, in milliseconds. Default 0. */
  readonly coldStartMs?: number;
}

/** @returns what a batch of that cost takes without noise, in milliseconds */
export function meanServiceMs({ baseMs, perCostMs }: ServiceLaw, cost: number): number {
  return baseMs + perCostMs * cost;
}

/** @returns what one batch of that cost takes, in milliseconds */
export function drawServiceMs(law: ServiceLaw, cost: number, random: RandomSource): number {
  let serviceMs = meanServiceMs(law, cost);
  if (law.noise !== undefined) serviceMs *= 1 + law.noise * Math.abs(random.normal());
  if (law.outlierShare !== undefined && random.next() < law.outlierShare) serviceMs += law.outlierMs ?? 0;
  return serviceMs;
}

/** @returns the most items per millisecond that one lane can serve in batches of up to `limit` */
export function capacityPerMs(law: ServiceLaw, limit: number, meanCost = 1): number {
  return Math.max(1 / meanServiceMs(law, meanCost), limit / meanServiceMs(law, limit * meanCost));
}
