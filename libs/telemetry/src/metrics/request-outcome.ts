import type { ErrorCode } from '#model';

/** How a request ended. */
export type RequestOutcome = 'ok' | 'failed' | 'rejected' | 'cancelled' | 'expired';

const OUTCOMES: Readonly<Partial<Record<ErrorCode, RequestOutcome>>> = {
  cancelled: 'cancelled',
  slow_reader: 'cancelled',
  deadline_exceeded: 'expired',
  handler_failed: 'failed',
  contract_violation: 'failed',
  non_finite_output: 'failed',
  internal: 'failed',
  state_not_saved: 'failed',
};

/** The outcome of a request that ended with this error; what never reached the model is `rejected`. */
export function outcomeOf(code: ErrorCode): RequestOutcome {
  return OUTCOMES[code] ?? 'rejected';
}
