/** A lane that takes what is there as soon as it is free. */
export interface GreedyQueue {
  /** Poisson arrivals. */
  readonly ratePerMs: number;
  /** Most items in a batch. */
  readonly limit: number;
  readonly serviceMs: (size: number) => number;
}

/** Queues longer than this are as good as impossible below capacity. */
const LONGEST_QUEUE = 400;
const ROUNDS = 400;

/**
 * The exact mean latency of a greedy batch queue, up to the rounding of a power iteration: the Markov chain of the queue
 * at each start of a batch, and Little's law over its cycles.
 *
 * Source: Bailey, On queueing processes with bulk service (1954).
 */
export function greedyMeanLatencyMs({ ratePerMs, limit, serviceMs }: GreedyQueue): number {
  const arrivals = Array.from({ length: limit + 1 }, (_, size) => poisson(ratePerMs * serviceMs(size)));
  let waiting = new Float64Array(LONGEST_QUEUE + 1);
  waiting[1] = 1;
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(LONGEST_QUEUE + 1);
    waiting.forEach((probability, queue) => {
      if (probability < 1e-15) return;
      const size = Math.min(queue, limit);
      // Who finds the lane idle starts a batch alone.
      arrivals[size]!.forEach((share, count) => {
        next[Math.min(LONGEST_QUEUE, Math.max(1, queue - size + count))]! += probability * share;
      });
    });
    waiting = next;
  }
  let [inSystem, cycle] = [0, 0];
  waiting.forEach((probability, queue) => {
    const size = Math.min(queue, limit);
    const runMs = serviceMs(size);
    const isIdleAfter = queue === size ? arrivals[size]![0]! : 0;
    inSystem += probability * (queue * runMs + (ratePerMs * runMs * runMs) / 2);
    cycle += probability * (runMs + isIdleAfter / ratePerMs);
  });
  return inSystem / cycle / ratePerMs;
}

/** Probabilities of 0, 1, 2 … events of a Poisson law, as many as matter. */
function poisson(mean: number): number[] {
  const probabilities = [Math.exp(-mean)];
  for (let count = 1; count < mean + 12 * Math.sqrt(mean) + 20; count++) {
    probabilities.push((probabilities[count - 1]! * mean) / count);
  }
  return probabilities;
}
