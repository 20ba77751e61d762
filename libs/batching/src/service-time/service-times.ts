import { ServiceTimeEstimate } from './service-time-estimate.js';

/** Where a lane stands. */
interface Place {
  readonly device: string;
}

/** How long batches of one model version run, on each device: every one has a law of its own. */
export class ServiceTimes {
  readonly #byDevice = new Map<string, ServiceTimeEstimate>();
  /** The one that is known best, which stands in for those that are not known yet. */
  #bestKnown = new ServiceTimeEstimate();

  /** What is known of `device`; while too little is, what is known of another one. */
  on(device: string): ServiceTimeEstimate {
    const own = this.#byDevice.get(device);
    return own?.isReliable === true ? own : this.#bestKnown;
  }

  /** @param runMs how long a batch of `size` items ran on `device`, in milliseconds */
  observe(device: string, size: number, runMs: number): void {
    let own = this.#byDevice.get(device);
    if (own === undefined) {
      own = this.#byDevice.size === 0 ? this.#bestKnown : new ServiceTimeEstimate();
      this.#byDevice.set(device, own);
    }
    own.observe(size, runMs);
    if (own.samples > this.#bestKnown.samples) this.#bestKnown = own;
  }

  /** What a batch of `size` items takes almost surely at most on the fastest device, in milliseconds; 0 while unknown. */
  fastestSafeMs(size: number): number {
    let fastest = this.#bestKnown.safeMs(size);
    if (this.#byDevice.size > 1)
      for (const device of this.#byDevice.keys()) fastest = Math.min(fastest, this.on(device).safeMs(size));
    return fastest;
  }

  /** What it takes on a lane that has the mean rate of `lanes`, of which there are `count` ≥ 1; 0 while unknown. */
  meanSafeMs(lanes: Iterable<Place>, count: number, size: number): number {
    if (this.#byDevice.size <= 1) return this.#bestKnown.safeMs(size);
    let rate = 0;
    for (const { device } of lanes) rate += 1 / this.on(device).safeMs(size);
    return count / rate;
  }
}
