/** What a clairvoyant scheduler of one lane works with. Times are in milliseconds. */
export interface SchedulingProblem {
  /** Ascending. */
  readonly arrivals: readonly number[];
  /** Run time of a batch; must not fall with the size. */
  readonly serviceMs: (size: number) => number;
  /** Largest batch. */
  readonly limit: number;
  /** Time from its arrival within which each item must end: the same for all. */
  readonly timeoutMs: number;
}

/** A partial schedule that no other dominates: when it ends, and how many items it serves in time. */
type PartialSchedule = readonly [finish: number, onTime: number];

/**
 * The most items that any schedule could serve in time, knowing all arrivals beforehand.
 *
 * With equal timeouts some optimal schedule runs batches of consecutive kept items, each the latest arrivals up to
 * its last one (exchange argument). So the j-th arrival is either dropped or ends a batch of the latest b, and for
 * each j only the schedules matter that no other beats in both finish and count.
 *
 * Source: the scheduling study, §9.
 */
export function optimalOnTime({ arrivals, serviceMs, limit, timeoutMs }: SchedulingProblem): number {
  const fronts: (readonly PartialSchedule[])[] = [[[-Infinity, 0]]];
  for (let last = 1; last <= arrivals.length; last++) {
    const release = arrivals[last - 1]!;
    const candidates = [...fronts[last - 1]!];
    for (let size = 1; size <= Math.min(limit, last); size++) {
      const deadline = arrivals[last - size]! + timeoutMs;
      const runMs = serviceMs(size);
      if (release + runMs > deadline) break;
      for (const [finish, onTime] of fronts[last - size]!) {
        const end = Math.max(finish, release) + runMs;
        if (end > deadline) break;
        candidates.push([end, onTime + size]);
      }
    }
    fronts.push(undominated(candidates, release));
    // No batch reaches back further than the limit.
    if (last > limit) fronts[last - limit - 1] = [];
  }
  return fronts.at(-1)!.at(-1)![1];
}

/** The schedules that none beats, both coordinates ascending; finishes up to `release` are all the same. */
function undominated(candidates: PartialSchedule[], release: number): PartialSchedule[] {
  candidates.sort(([finishA, countA], [finishB, countB]) => finishA - finishB || countB - countA);
  const front: PartialSchedule[] = [];
  for (const candidate of candidates) {
    const best = front.at(-1);
    if (best !== undefined && candidate[1] <= best[1]) continue;
    if (best !== undefined && candidate[0] <= release) front.pop();
    front.push(candidate);
  }
  return front;
}
