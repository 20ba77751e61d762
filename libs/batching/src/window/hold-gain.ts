/** What the gain of a hold depends on, besides its length. Times are in milliseconds. */
export interface HoldSituation {
  /** b: items that wait. */
  readonly waiting: number;
  /** T₀: until an item that misses this batch finds a lane. */
  readonly nextLaneMs: number;
  /** Until another lane is free; `Infinity` when there is no other. */
  readonly anotherLaneMs: number;
  /** Arrivals expected until T₀. */
  readonly arrivals: number;
  /** ŝ(b). */
  readonly serviceTimeMs: (size: number) => number;
  /** Expected wait of a client whose answer comes now, for a lane that is busy for so long. */
  readonly expectedWait: (busyMs: number) => number;
}

/**
 * What a hold of `holdMs` saves all items together, in item milliseconds, against starting now and taking whoever
 * comes meanwhile with the next batch.
 *
 * With b items that wait, n that come during the hold (the sum of max(arrival, T₀) over them in `leaveLaterMs`) and
 * m that come after it until T₀:
 *
 *     gain = Σₙ max(arrival, T₀) − n·h + n·min(0, ŝ(n+m) − ŝ(b+n))      the n leave now and not at T₀
 *          − b·(h + ŝ(b+n) − ŝ(b))                                      the b leave later, with a longer batch
 *          + m·min(0, T₀ − T₁ + ŝ(n+m) − ŝ(m))                          the m may find the lane later
 *          + b·w(ŝ(n+m)) − (b+n)·w(ŝ(m))                                one lane: who returns waits for the rest
 *
 * where T₁ is when the next lane is free after the hold and w the wait of a client that returns to a busy lane. A
 * shorter next batch counts for nothing: in a closed loop it only moves the wait to the next round. Without the
 * last line, clients that were held together fall apart again by their stragglers.
 */
export function holdGain(
  situation: HoldSituation,
  holdMs: number,
  joining: number,
  leaveLaterMs: number,
): number {
  const { waiting, nextLaneMs, anotherLaneMs, arrivals, serviceTimeMs, expectedWait } = situation;
  const missing = Math.max(0, arrivals - joining);
  const now = serviceTimeMs(waiting);
  const held = serviceTimeMs(waiting + joining);
  const next = serviceTimeMs(joining + missing);
  const nextAfterHold = serviceTimeMs(Math.max(1, missing));
  const laneAfterHoldMs = Math.min(Math.max(anotherLaneMs, holdMs), holdMs + held);
  let gain = leaveLaterMs - joining * holdMs + joining * Math.min(0, next - held);
  gain -= waiting * (holdMs + held - now);
  gain += missing * Math.min(0, nextLaneMs - laneAfterHoldMs + next - nextAfterHold);
  if (anotherLaneMs === Infinity) {
    // Whether there is a next batch after the hold at all, for a Poisson number of stragglers.
    const nextExists = 1 - Math.exp(-missing);
    gain += waiting * expectedWait(next) - (waiting + joining) * expectedWait(nextExists * nextAfterHold);
  }
  return gain;
}
