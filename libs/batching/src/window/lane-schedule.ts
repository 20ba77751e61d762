interface LaneRun {
  startedAt: number;
  size: number;
  isRunning: boolean;
}

/** Knows which lanes are busy, and expects when the next of them is free. */
export class LaneSchedule {
  readonly #runs = new Map<number, LaneRun>();
  #busy = 0;

  started(now: number, lane: number, size: number): void {
    let run = this.#runs.get(lane);
    if (run === undefined) {
      run = { startedAt: now, size, isRunning: false };
      this.#runs.set(lane, run);
    }
    if (!run.isRunning) this.#busy++;
    run.startedAt = now;
    run.size = size;
    run.isRunning = true;
  }

  completed(lane: number, lanes: number): void {
    const run = this.#runs.get(lane);
    if (run?.isRunning !== true) return;
    run.isRunning = false;
    this.#busy--;
    // Lanes are replaced under new numbers when their worker dies.
    if (this.#runs.size > 2 * lanes + 8) this.#forgetIdle();
  }

  /**
   * Milliseconds until an item that does not go with this batch finds another lane, of `lanes` in all: 0 when one
   * is free besides, `Infinity` when there is no other.
   */
  untilAnotherIsFree(now: number, lanes: number, serviceTimeMs: (size: number) => number): number {
    if (this.#busy < lanes - 1) return 0;
    let earliest = Infinity;
    for (const { startedAt, size, isRunning } of this.#runs.values()) {
      if (isRunning) earliest = Math.min(earliest, Math.max(0, startedAt + serviceTimeMs(size) - now));
    }
    return earliest;
  }

  #forgetIdle(): void {
    for (const [lane, { isRunning }] of this.#runs) if (!isRunning) this.#runs.delete(lane);
  }
}
