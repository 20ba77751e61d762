/** Batches a lane before the first kick, from one to the next after one that helped, and at most. */
const FIRST_PAUSE = 16;
const SHORTEST_PAUSE = 48;
const LONGEST_PAUSE = 4096;
/** Batches a lane that a kick lasts, that are given to settle, and over which its effect is measured. */
const KICKED = 3;
const SETTLING = 1;
const MEASURED = 16;
/** By how much the mean latency must have fallen. */
const WORTHWHILE = 0.97;
/** So many changes of the size from one batch to the next tell α from β. */
const TELLING_CHANGES = 3;

type Phase = 'waiting' | 'kicking' | 'settling' | 'measuring';

/**
 * Now and then makes the lanes gather everyone, and keeps doing so only where latency is better afterwards.
 *
 * Clients that wait for their answer can fall into cohorts that take turns. That state is stable although a
 * worse one: seen from one batch, waiting for the other cohort does not pay, since what is gained comes with all
 * the batches after it. A kick moves the system to the other state, if there is one; if it is not better, or
 * does not last, the next kick comes twice as late, so that kicks cost nothing in the long run.
 *
 * Source: the scheduling study, §10.
 */
export class Kick {
  #phase: Phase = 'waiting';
  #pause = FIRST_PAUSE;
  #batches = 0;
  #items = 0;
  #latencyMs = 0;
  #meanBefore = 0;
  #lastSize = 0;
  #sizeChanges = 0;

  /** Whether lanes should gather everyone now. */
  get isOn(): boolean {
    return this.#phase === 'kicking';
  }

  /** Whether batches have been of different sizes, so that their run times tell α from β. */
  get hasSeenSizes(): boolean {
    return this.#sizeChanges > TELLING_CHANGES;
  }

  /** Batches a lane between two kicks at present. */
  get pause(): number {
    return this.#pause;
  }

  /** @param latencyMs the sum of the latencies of the `size` items, in milliseconds */
  completed(size: number, latencyMs: number, lanes: number): void {
    if (size !== this.#lastSize) this.#sizeChanges++;
    this.#lastSize = size;
    this.#batches++;
    this.#items += size;
    this.#latencyMs += latencyMs;
    const batches = this.#batches / lanes;
    switch (this.#phase) {
      case 'waiting':
        if (batches < this.#pause) return;
        this.#meanBefore = this.#mean;
        this.#enter('kicking');
        return;
      case 'kicking':
        if (batches >= KICKED) this.#enter('settling');
        return;
      case 'settling':
        if (batches >= SETTLING) this.#enter('measuring');
        return;
      case 'measuring':
        if (batches < MEASURED) return;
        const helped = this.#mean < WORTHWHILE * this.#meanBefore;
        this.#pause = helped ? SHORTEST_PAUSE : Math.min(LONGEST_PAUSE, 2 * this.#pause);
        this.#enter('waiting');
    }
  }

  get #mean(): number {
    return this.#latencyMs / this.#items;
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#batches = 0;
    this.#items = 0;
    this.#latencyMs = 0;
  }
}
