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
    if (this.state === 'open' && remaining <= 0) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(remaining / 1000));
    throw new ServingError('breaker_open', 'the model keeps failing and is left alone for a while', {
      retryAfterSeconds,
    });
  }

  /**
   * Watches one batch. A batch that starts while the breaker is open is not counted: it was admitted before.
   *
   * @param ended rejects when the batch failed
   */
  watch(ended: Promise<unknown>): void {
    // While open the policy does not even look at the promise, whose rejection must not go unhandled then.
    ended.catch(() => undefined);
    this.#policy.execute(() => ended).catch(() => undefined);
  }
}
