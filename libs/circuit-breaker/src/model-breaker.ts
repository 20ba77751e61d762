import { ServingError } from '#model';
import { CircuitState, ConsecutiveBreaker, CountBreaker, type IBreaker } from 'cockatiel';

/** When a breaker opens and when it tries again. */
export interface ModelBreakerOptions {
  /** Consecutive failed batches that open it, ≥ 1. */
  readonly threshold: number;
  /** Time for which it stays open, in milliseconds. */
  readonly recoveryMs: number;
  /** Share of the last {@link failureWindow} batches above which it opens too, between 0 and 1. Default: off. */
  readonly failureRate?: number | undefined;
  /** Batches that {@link failureRate} looks at, ≥ 1; it says nothing before so many have run. Default 50. */
  readonly failureWindow?: number | undefined;
}

/** What a breaker tells the outside: `half-open` when a batch may probe, or does. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** What a batch says about its model; `inconclusive` when its clients left, or were at fault. */
export type BatchVerdict = 'succeeded' | 'failed' | 'inconclusive';

/** Ties a batch to the state that the breaker was in when it started. */
export type BreakerTicket = number;

const DEFAULT_FAILURE_WINDOW = 50;
/** The ticket of a batch that is no evidence: the breaker was open. */
const NO_TICKET: BreakerTicket = -1;

/**
 * The circuit breaker of one model version. It watches batches, not requests: one bad batch of 32 is one failure.
 *
 * Each batch gets a ticket when it starts and is judged with it, so that a batch from before the breaker opened, or
 * from before it closed, changes nothing when it ends at last. Once the recovery time is over, the first batch that
 * starts is the probe; if it says nothing, the next one is. No timer runs: the state is a matter of the clock.
 */
export class ModelBreaker {
  readonly #now: () => number;
  #options: ModelBreakerOptions;
  #counters: readonly IBreaker[];
  #isOpen = false;
  #isProbing = false;
  /** Clock time from which a batch may probe: after a probe has started, one in its place. */
  #probeAt = 0;
  /** Rises with every change: only tickets of the current one count. */
  #epoch: BreakerTicket = 0;

  /** @param now milliseconds, monotonic */
  constructor(options: ModelBreakerOptions, now: () => number) {
    this.#options = options;
    this.#counters = countersFor(options);
    this.#now = now;
  }

  get state(): BreakerState {
    if (!this.#isOpen) return 'closed';
    return this.#isProbing || this.#now() >= this.#probeAt ? 'half-open' : 'open';
  }

  /**
   * Throws while requests must be refused: while it is open; and while a probe runs or its items wait, since more
   * requests than those of the probe would only pile up behind it.
   *
   * @param waiting items that wait for a batch
   * @throws {ServingError} `breaker_open`
   */
  assertCloses(waiting: number): void {
    if (!this.#isOpen) return;
    const remainingMs = this.#probeAt - this.#now();
    if (remainingMs <= 0 && waiting === 0) return;
    const retryAfterSeconds = this.#isProbing ? 1 : Math.max(1, Math.ceil(remainingMs / 1000));
    throw new ServingError('breaker_open', 'the model keeps failing and is left alone for a while', {
      retryAfterSeconds,
    });
  }

  /** Notes that a batch starts. Returns the ticket to judge it with. */
  batchStarted(): BreakerTicket {
    if (!this.#isOpen) return this.#epoch;
    const now = this.#now();
    if (now < this.#probeAt) return NO_TICKET;
    // A probe that never ends must not keep the model shut for ever.
    this.#probeAt = now + this.#options.recoveryMs;
    this.#isProbing = true;
    return ++this.#epoch;
  }

  /** Notes how a batch ended. */
  batchJudged(ticket: BreakerTicket, verdict: BatchVerdict): void {
    if (ticket !== this.#epoch) return;
    if (this.#isOpen) this.#probeJudged(verdict);
    else if (verdict === 'failed') this.#count();
    else if (verdict === 'succeeded')
      for (const counter of this.#counters) counter.success(CircuitState.Closed);
  }

  /** Closes it, whatever happened. */
  reset(): void {
    this.#epoch++;
    this.#isOpen = false;
    this.#isProbing = false;
    this.#counters = countersFor(this.#options);
  }

  /** Changes when it opens and tries again. What has been counted is forgotten; it stays open if it is. */
  configure(options: ModelBreakerOptions): void {
    this.#options = options;
    this.#counters = countersFor(options);
  }

  #count(): void {
    // Every counter must hear of it, also behind one that has had enough.
    const verdicts = this.#counters.map((counter) => counter.failure(CircuitState.Closed));
    if (verdicts.includes(true)) this.#open();
  }

  #probeJudged(verdict: BatchVerdict): void {
    if (verdict === 'succeeded') this.reset();
    else if (verdict === 'failed') this.#open();
    else {
      this.#isProbing = false;
      this.#probeAt = this.#now();
    }
  }

  #open(): void {
    this.#epoch++;
    this.#isOpen = true;
    this.#isProbing = false;
    this.#probeAt = this.#now() + this.#options.recoveryMs;
  }
}

function countersFor({ threshold, failureRate, failureWindow }: ModelBreakerOptions): readonly IBreaker[] {
  const consecutive = new ConsecutiveBreaker(threshold);
  if (failureRate === undefined) return [consecutive];
  const size = failureWindow ?? DEFAULT_FAILURE_WINDOW;
  return [consecutive, new CountBreaker({ threshold: failureRate, size })];
}
