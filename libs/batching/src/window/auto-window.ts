import { ArrivalForecast } from './arrival-forecast.js';
import { holdGain, type HoldSituation } from './hold-gain.js';
import { Kick } from './kick.js';
import { LaneSchedule } from './lane-schedule.js';
import type { Completion, Start, WindowPolicy, WindowState } from './window-policy.js';

/** How far arrivals are told from returns, as a multiple of the longest hold, and the bounds of that. */
const HORIZON_FACTOR = 1.4;
const SHORTEST_HORIZON_MS = 2;
const LONGEST_HORIZON_MS = 1000;
/** Fewer expected arrivals than this are nobody to wait for. */
const SOMEBODY = 0.5;

/** The lengths of a hold that are weighed, in milliseconds: 0.1 ms apart at first, then each 12 % longer. */
const HOLDS_MS = holdsUpTo(60_000);

/**
 * Holds a free lane where it pays: learns what follows the end of a batch and weighs, for every length of a hold,
 * what those who would still come save against what those who wait lose. Independent arrivals are served at once;
 * clients that come back together after their answers are waited for.
 *
 * No hold is longer than `maxWaitMs`, counted from the moment when a lane is free and an item waits.
 *
 * Source: the scheduling study, §10, extended to several lanes by the time at which the next lane is free and by
 * attributing arrivals to completions that overlap.
 */
export class AutoWindow implements WindowPolicy {
  readonly #lanes = new LaneSchedule();
  readonly #kick = new Kick();
  readonly #expected = new Float64Array(HOLDS_MS.length);
  readonly #offset = new Float64Array(1);
  readonly #arrivals = new Float64Array(1);
  readonly #expectedWait = (busyMs: number) => this.#forecast.expectedWait(busyMs);
  #forecast = new ArrivalForecast(SHORTEST_HORIZON_MS);
  #maxWaitMs = 0;
  #laneCount = 1;

  arrived(now: number): void {
    this.#forecast.arrived(now);
  }

  started({ now, lane, size }: Start): void {
    this.#lanes.started(now, lane, size);
  }

  completed({ now, lane, size, latencyMs }: Completion): void {
    this.#lanes.completed(lane, this.#laneCount);
    this.#forecast.completed(now, size);
    this.#kick.completed(size, latencyMs, this.#laneCount);
  }

  dispatchAt(state: WindowState): number {
    const { now, waiting, limit, maxWaitMs } = state;
    const serviceTimeMs = this.#kick.hasSeenSizes ? state.serviceTimeMs : proportional(state);
    this.#laneCount = state.lanes;
    if (maxWaitMs !== this.#maxWaitMs) this.#learnAnew(maxWaitMs);
    const leftMs = Math.max(state.freeSince, state.oldestArrival) + maxWaitMs - now;
    const anotherLaneMs = this.#lanes.untilAnotherIsFree(now, state.lanes, serviceTimeMs);
    const nextLaneMs = Math.min(anotherLaneMs, serviceTimeMs(waiting));
    if (leftMs < HOLDS_MS[0]! || nextLaneMs <= 0) return now;
    const holds = countUpTo(this.#kick.isOn ? leftMs : Math.min(leftMs, nextLaneMs));
    if (holds === 0) return now;
    this.#forecast.expect(now, HOLDS_MS, holds, this.#expected);
    if (this.#kick.isOn) {
      const gatherMs = this.#gather(holds, waiting, limit, serviceTimeMs);
      if (gatherMs > 0) return now + gatherMs;
    }
    this.#offset[0] = nextLaneMs;
    this.#forecast.expect(now, this.#offset, 1, this.#arrivals);
    const situation: HoldSituation = {
      waiting,
      nextLaneMs,
      anotherLaneMs,
      arrivals: this.#arrivals[0]!,
      serviceTimeMs,
      expectedWait: this.#expectedWait,
    };
    return now + this.#bestHold(situation, holds, limit - waiting);
  }

  /** The hold with the greatest gain, in milliseconds; 0 when none gains. */
  #bestHold(situation: HoldSituation, holds: number, room: number): number {
    let best = 0;
    let bestGain = 0;
    let leaveLaterMs = 0;
    for (let index = 0; index < holds; index++) {
      const holdMs = HOLDS_MS[index]!;
      const [previousMs, previous] =
        index === 0 ? [0, 0] : [HOLDS_MS[index - 1]!, this.#expected[index - 1]!];
      const expected = this.#expected[index]!;
      leaveLaterMs += (expected - previous) * Math.max((previousMs + holdMs) / 2, situation.nextLaneMs);
      if (expected < SOMEBODY) continue;
      const joining = Math.min(expected, room);
      const gain = holdGain(situation, holdMs, joining, (leaveLaterMs * joining) / expected);
      if (gain > bestGain) {
        bestGain = gain;
        best = holdMs;
      }
      if (expected >= room) break;
    }
    return best;
  }

  /** A hold until everyone is there who is expected within `maxWaitMs`, unless it costs more than it could save. */
  #gather(holds: number, waiting: number, limit: number, serviceTimeMs: (size: number) => number): number {
    const everyone = Math.min(this.#expected[holds - 1]!, limit - waiting);
    const last = this.#expected.findIndex((expected) => expected >= everyone - SOMEBODY);
    const joining = Math.min(this.#expected[last]!, limit - waiting);
    const gatherMs = HOLDS_MS[last]!;
    if (joining < SOMEBODY) return 0;
    const [first, second] = [serviceTimeMs(waiting), serviceTimeMs(joining)];
    // One batch in place of two saves α. While all batches are of one size nobody knows α, but that it is below
    // both run times: then a kick is also how the law is found out.
    const savedMs = this.#kick.hasSeenSizes
      ? first + second - serviceTimeMs(waiting + joining)
      : Math.min(first, second);
    return gatherMs < savedMs ? gatherMs : 0;
  }

  #learnAnew(maxWaitMs: number): void {
    this.#maxWaitMs = maxWaitMs;
    const horizonMs = Math.min(LONGEST_HORIZON_MS, Math.max(SHORTEST_HORIZON_MS, HORIZON_FACTOR * maxWaitMs));
    this.#forecast = new ArrivalForecast(horizonMs);
  }
}

/**
 * While all batches are of one size nobody knows the law. Then the time is taken to grow with the size, so that
 * nobody gathers large batches on the strength of a guess, and the sizes that follow tell.
 */
function proportional({ waiting, serviceTimeMs }: WindowState): (size: number) => number {
  const perItemMs = serviceTimeMs(waiting) / waiting;
  return (size) => perItemMs * size;
}

function holdsUpTo(longestMs: number): Float64Array {
  const holds: number[] = [];
  for (let holdMs = 0.1; holdMs <= longestMs; holdMs = holdMs < 0.95 ? holdMs + 0.1 : holdMs * 1.12) {
    holds.push(holdMs);
  }
  return Float64Array.from(holds);
}

/** How many of the weighed holds are at most `longestMs`. */
function countUpTo(longestMs: number): number {
  let count = 0;
  while (count < HOLDS_MS.length && HOLDS_MS[count]! <= longestMs) count++;
  return count;
}
