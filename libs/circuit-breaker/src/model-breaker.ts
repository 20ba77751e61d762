import { ServingError } from '#model';
import {
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleAll,
  type CircuitBreakerPolicy,
} from 'cockatiel';

/** When a breaker opens and when it tries again. */
export interface ModelBreakerOptions {
  /** Consecutive failed batches that open it, ≥ 1. */
  readonly threshold: number;
  /** Time for which it stays open, in milliseconds. */
  readonly recoveryMs: number;
}

/** What a breaker tells the outside. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/**
 * The circuit breaker of one model version. It watches batches, not requests: one bad batch of 32 is one
 * failure.
 */
export class ModelBreaker {
  readonly #policy: CircuitBreakerPolicy;
  readonly #recoveryMs: number;
  readonly #now: () => number;
  #openedAt = 0;
  #probing = false;

  /** @param now milliseconds, monotonic */
  constructor({ threshold, recoveryMs }: ModelBreakerOptions, now: () => number) {
    this.#policy = circuitBreaker(handleAll, {
      halfOpenAfter: recoveryMs,
      breaker: new ConsecutiveBreaker(threshold),
    });
    this.#policy.onBreak(() => {
      this.#openedAt = now();
    });
    this.#recoveryMs = recoveryMs;
    this.#now = now;
  }

  get state(): BreakerState {
    switch (this.#policy.state) {
      case CircuitState.Closed:
        return 'closed';
      case CircuitState.HalfOpen:
        return 'half-open';
      default:
        return 'open';
    }
  }

  /**
   * Throws while requests must be refused: while it is open, and while its probe batch runs.
   *
   * @throws {ServingError} `breaker_open`
   */
  assertCloses(): void {
    if (this.state === 'closed') return;
    const remaining = this.#openedAt + this.#recoveryMs - this.#now();
    if (remaining <= 0 && !this.#probing) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(remaining / 1000));
    throw new ServingError('breaker_open', 'the model keeps failing and is left alone for a while', {
      retryAfterSeconds,
    });
  }

  /** Notes that a batch starts: after the recovery time, the first one is the probe. */
  batchStarted(): void {
    this.#probing = this.state !== 'closed';
  }

  /**
   * Notes how a batch ended. While the breaker is open this is not counted: the batch was admitted before.
   *
   * @param failure why it failed; `undefined` when it did not
   */
  batchJudged(failure: Error | undefined): void {
    this.#probing = false;
    this.#policy
      .execute(() => {
        if (failure !== undefined) throw failure;
      })
      .catch(() => undefined);
  }
}
