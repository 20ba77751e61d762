import { ERROR_CODES, type ErrorCode } from './error-codes.js';

const BRAND = Symbol.for('smartbatch.serving-error');

/** Details of a {@link ServingError}. */
export interface ServingErrorDetails {
  /** When to try again, in seconds. */
  readonly retryAfterSeconds?: number;
  /** The single faults of an invalid value, each with the JSON pointer of its place. */
  readonly faults?: readonly Fault[];
  /** What led to this error. It is logged and never sent to a client. */
  readonly cause?: unknown;
}

/** One fault of an invalid value. */
export interface Fault {
  /** JSON pointer of the faulty field, for example `/data/pixels`. */
  readonly field: string;
  /** What would be right. */
  readonly message: string;
}

/** An error with a stable code, whose message may be shown to the client. */
export class ServingError extends Error {
  override readonly name = 'ServingError';
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly faults: readonly Fault[] | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: ServingErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = ERROR_CODES[code].status;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.faults = details.faults;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** With {@link expose}, by what Nest and others know an error that brings its own status (as http-errors does). */
  get statusCode(): number {
    return this.status;
  }

  /** The message may be shown. */
  get expose(): boolean {
    return true;
  }
}

/** Whether `error` is a {@link ServingError}, of this copy of the package or another. */
export function isServingError(error: unknown): error is ServingError {
  return typeof error === 'object' && error !== null && BRAND in error;
}
