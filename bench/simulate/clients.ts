import type { Clock } from '#batching';
import { drawDelay } from './delay-law.js';
import type { RandomSource } from './random-source.js';
import type { BurstyWorkload, ClosedWorkload, OpenWorkload, Workload } from './scenario.js';

/** Sends one item and calls back once it has ended. */
export type Send = (onEnded: () => void) => void;

/** Sets the clients of a workload to work. They go on for ever. */
export function startClients(workload: Workload, send: Send, clock: Clock, random: RandomSource): void {
  switch (workload.kind) {
    case 'open':
      startOpen(workload, send, clock, random);
      return;
    case 'bursty':
      startBursty(workload, send, clock, random);
      return;
    case 'closed':
      startClosed(workload, send, clock, random);
  }
}

function startOpen({ ratePerMs }: OpenWorkload, send: Send, clock: Clock, random: RandomSource): void {
  const next = () => {
    clock.setTimer(random.exponential(1 / ratePerMs), () => {
      next();
      send(ignore);
    });
  };
  next();
}

function startBursty(workload: BurstyWorkload, send: Send, clock: Clock, random: RandomSource): void {
  const { ratePerMs, burstFactor, meanBurstMs, meanQuietMs } = workload;
  const burstShare = meanBurstMs / (meanBurstMs + meanQuietMs);
  const burstRate = ratePerMs * burstFactor;
  const quietRate = (ratePerMs - burstShare * burstRate) / (1 - burstShare);
  if (quietRate < 0) throw new RangeError('the burst factor is more than the quiet phase can make up for');
  let inBurst = false;
  let phaseEnd = 0;
  const next = () => {
    // The next arrival of the phase that is on; memorylessness allows drawing anew at each change.
    let at = clock.now();
    for (;;) {
      while (at >= phaseEnd) {
        inBurst = !inBurst;
        phaseEnd = at + random.exponential(inBurst ? meanBurstMs : meanQuietMs);
      }
      const rate = inBurst ? burstRate : quietRate;
      const candidate = rate > 0 ? at + random.exponential(1 / rate) : Infinity;
      if (candidate < phaseEnd) {
        at = candidate;
        break;
      }
      at = phaseEnd;
    }
    clock.setTimer(at - clock.now(), () => {
      next();
      send(ignore);
    });
  };
  next();
}

function startClosed(workload: ClosedWorkload, send: Send, clock: Clock, random: RandomSource): void {
  for (let client = 0; client < workload.clients; client++) {
    const own = random.fork();
    const request = () => {
      send(() => clock.setTimer(drawDelay(workload.turnAround, own), request));
    };
    clock.setTimer(drawDelay(workload.turnAround, own), request);
  }
}

function ignore(): void {
  // An open arrival does not care for its answer.
}
