/**
 * A stream of random numbers that is the same for one seed everywhere. Each part of a simulation draws from a
 * stream of its own, so that two policies meet the same arrivals.
 *
 * Source: the generator is mulberry32 (Tommy Ettinger, public domain).
 */
export class RandomSource {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  }

  /** Evenly spread over [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  uniform(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** Standard normal, by the Box–Muller transform. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  /** A stream that is independent of this one for all practical purposes. */
  fork(): RandomSource {
    return new RandomSource(Math.floor(this.next() * 2 ** 32));
  }
}
