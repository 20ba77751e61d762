import { PercentileWindow } from './percentile-window.js';

/** Batches since the last change before the next may come, and how many are remembered at most. */
const FEWEST_BATCHES = 20;
const WINDOW = 64;
/** The first runs of a model do not count. */
const WARM_UP_RUNS = 3;
const DECREASE = 0.9;
/** A limit that was found too high is not tried again for so many batches. */
const RETRY_AFTER = 400;
/** At least this share of the time per item that is cut off must be saved, or a smaller batch is no help. */
const WORTHWHILE_SHARE = 0.2;

/** What an {@link AdaptiveLimit} is to keep to. */
export interface LimitTarget {
  /** The greatest limit, an integer ≥ 1. */
  readonly maximum: number;
  /** Time from arrival to answer that 95 % of the items should stay below, in milliseconds; `Infinity` for none. */
  readonly targetLatencyMs: number;
}

/** One batch that ran: no repeated run of a failed one, and no run of a cold lane. */
export interface LimitObservation {
  readonly size: number;
  readonly runMs: number;
  /** How long its oldest item had waited when it started, in milliseconds. */
  readonly waitMs: number;
  /** Expected run time of a batch, in milliseconds; 0 while nothing is known. */
  readonly serviceTimeMs: (size: number) => number;
  /** Whether that has been learned from batches of unlike sizes. */
  readonly knowsSizes: boolean;
}

/**
 * The batch limit that keeps the latency of 95 % of the items within a target: additive increase, multiplicative
 * decrease, on the 95th percentile of the execution time of at least 20 batches since the last change.
 *
 * The execution budget is what queueing leaves of the target, but never less than half of it: a queue that grows
 * because there is more load than capacity is for admission to shorten; smaller batches would only lengthen it.
 *
 * It steers and nothing else: it never ends a run or refuses an item. A pure function of its observations.
 *
 * Source: the scheduling study, §7.
 */
export class AdaptiveLimit {
  readonly #runs = new PercentileWindow(WINDOW);
  readonly #waits = new PercentileWindow(WINDOW);
  #target: LimitTarget;
  #limit: number;
  #seen = 0;
  #full = 0;
  /** The lowest limit that was found too high lately, and how many batches ago. */
  #ceiling = Infinity;
  #sinceCeiling = 0;

  /** Starts at the maximum: latency is only steered where a target is missed. */
  constructor(target: LimitTarget) {
    this.#target = target;
    this.#limit = target.maximum;
  }

  /** Most items that a batch may hold now, an integer from 1 to the maximum. */
  get limit(): number {
    return this.#limit;
  }

  /** Changes the target. What was learned about the old one is forgotten. */
  configure(target: LimitTarget): void {
    const wasAtMaximum = this.#limit === this.#target.maximum;
    this.#target = target;
    this.#ceiling = Infinity;
    this.#change(wasAtMaximum ? target.maximum : Math.min(this.#limit, target.maximum));
  }

  observe(observation: LimitObservation): void {
    this.#seen++;
    if (this.#seen <= WARM_UP_RUNS || this.#target.targetLatencyMs === Infinity) return;
    this.#runs.add(observation.runMs);
    this.#waits.add(observation.waitMs);
    if (observation.size >= this.#limit) this.#full++;
    if (++this.#sinceCeiling > RETRY_AFTER) this.#ceiling = Infinity;
    if (this.#runs.size < FEWEST_BATCHES) return;
    const runMs = this.#runs.percentile(0.95);
    if (runMs > this.#budgetMs && this.#decrease(observation)) return;
    if (this.#mayIncrease(runMs, observation)) this.#change(this.#limit + 1);
  }

  get #budgetMs(): number {
    const { targetLatencyMs } = this.#target;
    return Math.max(targetLatencyMs / 2, targetLatencyMs - this.#waits.percentile(0.95));
  }

  #mayIncrease(runMs: number, { serviceTimeMs, knowsSizes }: LimitObservation): boolean {
    const next = this.#limit + 1;
    if (next > this.#target.maximum || next >= this.#ceiling) return false;
    // A limit that is not reached does not bind, and what lies above it is unknown.
    if (this.#full < this.#runs.size / 2) return false;
    const growth = serviceTimeMs(next) / serviceTimeMs(this.#limit);
    // What was tried in vain is taken back.
    const isFree = knowsSizes && growth - 1 < WORTHWHILE_SHARE / this.#limit;
    return isFree || !(runMs * growth > this.#budgetMs);
  }

  /** @returns whether it has */
  #decrease({ serviceTimeMs, knowsSizes }: LimitObservation): boolean {
    const smaller = Math.max(1, Math.min(this.#limit - 1, Math.round(DECREASE * this.#limit)));
    const now = serviceTimeMs(this.#limit);
    const cut = (this.#limit - smaller) / this.#limit;
    const saved = now > 0 ? (now - serviceTimeMs(smaller)) / now : cut;
    // Where the run time hardly depends on the size, or nothing could be fast enough, small batches only cost.
    const isHelp = saved >= WORTHWHILE_SHARE * cut && serviceTimeMs(1) <= this.#budgetMs;
    // Where all batches are of one size, only a smaller one can tell.
    if (smaller === this.#limit || (knowsSizes && !isHelp)) return false;
    this.#ceiling = this.#limit;
    this.#sinceCeiling = 0;
    this.#change(smaller);
    return true;
  }

  #change(limit: number): void {
    this.#limit = limit;
    this.#full = 0;
    this.#runs.clear();
    this.#waits.clear();
  }
}
