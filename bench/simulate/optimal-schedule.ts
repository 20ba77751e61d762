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
  const runTimesMs = Array.from({ length: limit + 1 }, (_, size) => serviceMs(size));
  const earliest = new EarliestFinish(arrivals.length);
  for (let last = 1; last <= arrivals.length; last++) {
    const release = arrivals[last - 1]!;
    for (const [finish, onTime] of fronts[last - 1]!) earliest.add(Math.max(finish, release), onTime);
    for (let size = 1; size <= Math.min(limit, last); size++) {
      const deadline = arrivals[last - size]! + timeoutMs;
      const runMs = runTimesMs[size]!;
      if (release + runMs > deadline) break;
      for (const [finish, onTime] of fronts[last - size]!) {
        const end = Math.max(finish, release) + runMs;
        if (end > deadline) break;
        earliest.add(end, onTime + size);
      }
    }
    fronts.push(earliest.takeFront());
    // No batch reaches back further than the limit.
    if (last > limit) fronts[last - limit - 1] = [];
  }
  return fronts.at(-1)!.at(-1)![1];
}

/** The earliest finish for each number of items that are served in time. */
class EarliestFinish {
  readonly #finishes: Float64Array;
  #fewest = Infinity;
  #most = -1;

  constructor(items: number) {
    this.#finishes = new Float64Array(items + 1).fill(Infinity);
  }

  add(finish: number, onTime: number): void {
    if (finish < this.#finishes[onTime]!) this.#finishes[onTime] = finish;
    if (onTime < this.#fewest) this.#fewest = onTime;
    if (onTime > this.#most) this.#most = onTime;
  }

  /** Removes and returns the schedules that none beats, both coordinates ascending. */
  takeFront(): PartialSchedule[] {
    const front: PartialSchedule[] = [];
    let best = Infinity;
    for (let onTime = this.#most; onTime >= this.#fewest; onTime--) {
      const finish = this.#finishes[onTime]!;
      this.#finishes[onTime] = Infinity;
      if (finish >= best) continue;
      best = finish;
      front.push([finish, onTime]);
    }
    this.#fewest = Infinity;
    this.#most = -1;
    return front.toReversed();
  }
}
