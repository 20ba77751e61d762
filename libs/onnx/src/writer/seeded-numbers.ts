/**
 * Pseudo-random numbers from a seed (mulberry32).
 *
 * It computes with 32-bit integers only, so that one seed gives the same bits on every engine; functions like
 * `Math.log` may differ in their last bit between two of them. Not for secrets.
 */
export class SeededNumbers {
  #state: number;

  /** @param seed an integer; its lower 32 bits count */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** The next integer from 0 to 2³² − 1. */
  nextInteger(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** The next integer from 0 to `limit` − 1. */
  nextBelow(limit: number): number {
    return Math.floor((this.nextInteger() / 2 ** 32) * limit);
  }

  /** Fills an array with numbers spread evenly over [−`bound`, `bound`). */
  uniform(length: number, bound: number): Float32Array<ArrayBuffer> {
    // The fraction is exact in double precision, so only the rounding to float32 is left.
    return Float32Array.from({ length }, () => (this.nextInteger() / 2 ** 31 - 1) * bound);
  }

  /** Puts the elements of `list` in a random order, in place. */
  shuffle(list: unknown[]): void {
    for (let last = list.length - 1; last > 0; last--) {
      const other = this.nextBelow(last + 1);
      [list[last], list[other]] = [list[other], list[last]];
    }
  }
}
