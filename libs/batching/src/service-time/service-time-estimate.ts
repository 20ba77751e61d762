import { SafetyFactor } from './safety-factor.js';
import { ServiceTimeModel } from './service-time-model.js';

/** Before so many batches have run, no item is given up because of what one of them took. */
const ENOUGH_SAMPLES = 8;

/** How long batches of one model version run on one device: what to expect, and what to rely on. */
export class ServiceTimeEstimate {
  readonly #model = new ServiceTimeModel();
  readonly #safety = new SafetyFactor();

  /** Batches that it was learned from. */
  get samples(): number {
    return this.#model.samples;
  }

  /** Whether enough batches have run to give an item up because of what they took. */
  get isReliable(): boolean {
    return this.#model.samples >= ENOUGH_SAMPLES;
  }

  /** Whether it has seen what batches of other sizes take. */
  get knowsSizes(): boolean {
    return this.#model.knowsSizes;
  }

  /** ŝ(b): milliseconds that a batch of `size` items is expected to run; 0 while nothing is known. */
  readonly expectedMs = (size: number): number => this.#model.predict(size);

  /** g·ŝ(b): milliseconds within which a batch ends almost surely; 0 while too little is known to rely on. */
  readonly safeMs = (size: number): number =>
    this.isReliable ? this.#safety.value * this.#model.predict(size) : 0;

  /** @param runMs how long a batch of `size` items ran, in milliseconds */
  observe(size: number, runMs: number): void {
    this.#safety.observe(this.#model.predict(size), runMs);
    this.#model.observe(size, runMs);
  }
}
