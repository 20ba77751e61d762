import type { ModelBreakerOptions } from '#circuit-breaker';
import type { ModelOptions } from '#model';

/** What a model's options say of its circuit breaker. */
export function breakerOptions(options: ModelOptions): ModelBreakerOptions {
  return {
    threshold: options.breakerThreshold,
    recoveryMs: options.breakerRecoveryMs,
    failureRate: options.breakerFailureRate,
    failureWindow: options.breakerFailureWindow,
  };
}
