import type { Fault } from './fault.js';
import type { FaultPlan } from './fault-plan.js';

/** Which faults come by chance, and how often. */
export interface RandomFaultOptions {
  /** Equal seeds give each worker equal faults. */
  readonly seed: number;
  /** Share of the batches that commit one, between 0 and 1. */
  readonly rate: number;
  /** One of these, each as likely as the others. */
  readonly faults: readonly Fault[];
}

/** A plan by chance. Each worker has a sequence of its own, which begins again when it is replaced. */
export function randomFaults({ seed, rate, faults }: RandomFaultOptions): FaultPlan {
  const sequences = new Map<number, () => number>();
  return ({ workerId }) => {
    const next = sequences.get(workerId) ?? mulberry32(seed + workerId);
    sequences.set(workerId, next);
    if (next() >= rate) return undefined;
    return faults[Math.floor(next() * faults.length)];
  };
}

/** Numbers from 0 to 1, by Tommy Ettinger's generator mulberry32. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
