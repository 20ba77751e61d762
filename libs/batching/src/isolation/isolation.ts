import type { ServingError } from '#model';

/**
 * One failed batch that is being taken apart by bisection. With k bad of n items this takes about
 * 2k·log₂(n) + 1 runs; the budget bounds it for batches in which everything is bad.
 */
export class Isolation {
  /** Whether any item has got its result. */
  succeeded = false;
  #runsLeft: number;
  /** The failed batch itself counts until it has been judged. */
  #pending = 1;

  /**
   * @param batchId of the failed batch
   * @param size items in the failed batch
   * @param error with which it failed
   */
  constructor(
    readonly batchId: number,
    size: number,
    readonly error: ServingError,
  ) {
    // Enough for one bad item in eight, at least one.
    const mostBad = Math.max(1, Math.floor(size / 8));
    this.#runsLeft = 2 * mostBad * Math.ceil(Math.log2(Math.max(2, size)));
  }

  /** Whether parts still wait or run. */
  get pending(): boolean {
    return this.#pending > 0;
  }

  /**
   * Takes `runs` from the budget. Returns false when it does not hold them.
   *
   * @param isFree whether the runs do not count: for want of memory a batch is halved until it fits, and no item is
   *   to blame; after a death each item runs once more
   */
  spend(runs: number, isFree: boolean): boolean {
    if (!isFree) {
      if (this.#runsLeft < runs) return false;
      this.#runsLeft -= runs;
    }
    this.#pending += runs;
    return true;
  }

  /** Notes that one part, or the failed batch itself, has been judged. */
  partEnded(): void {
    this.#pending--;
  }
}
