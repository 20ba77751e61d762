import type { Batch, Clock, Lane } from '#batching';
import type { RandomSource } from './random-source.js';
import { drawServiceMs, type ServiceLaw } from './service-law.js';

/** An item of a simulation. */
export interface SimulatedItem {
  readonly cost: number;
}

/** A lane whose batches do nothing but take time. */
export class SimulatedLane implements Lane<SimulatedItem, true> {
  readonly id: number;
  readonly device = 'simulated';
  readonly #law: ServiceLaw;
  readonly #clock: Clock;
  readonly #random: RandomSource;
  #isCold = true;

  constructor(id: number, law: ServiceLaw, clock: Clock, random: RandomSource) {
    this.id = id;
    this.#law = law;
    this.#clock = clock;
    this.#random = random;
  }

  start(batch: Batch<SimulatedItem, true>): void {
    let cost = 0;
    for (const item of batch.items) cost += item.value.cost;
    let serviceMs = drawServiceMs(this.#law, cost, this.#random);
    if (this.#isCold) serviceMs += this.#law.coldStartMs ?? 0;
    this.#isCold = false;
    this.#clock.setTimer(serviceMs, () => batch.complete(batch.items.map((): true => true)));
  }
}
