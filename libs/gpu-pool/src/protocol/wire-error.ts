import { isServingError, ServingError, type ErrorCode, type Fault } from '#model';

/** An error in a form that crosses threads and processes: structured clone drops an error's own fields. */
export interface WireError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  /** Set for a `ServingError`. */
  readonly code?: ErrorCode;
  readonly retryAfterSeconds?: number;
  readonly faults?: readonly Fault[];
  readonly cause?: WireError;
}

/** A chain of causes may be a circle. */
const LONGEST_CHAIN = 10;

/** Prepares any thrown value for the way between worker and pool. */
export function toWire(error: unknown, depth = 0): WireError {
  if (!(error instanceof Error)) return { name: 'Error', message: textOf(error) };
  const wire: WireError = {
    name: error.name,
    message: error.message,
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined || depth === LONGEST_CHAIN
      ? {}
      : { cause: toWire(error.cause, depth + 1) }),
  };
  if (!isServingError(error)) return wire;
  const { code, retryAfterSeconds, faults } = error;
  return {
    ...wire,
    code,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(faults === undefined ? {} : { faults }),
  };
}

/** A model may throw anything, also what cannot be written as text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return `a thrown ${typeof thrown}`;
  }
}

/** Makes an error again of what {@link toWire} made of it. */
export function fromWire(wire: WireError): Error {
  const cause = wire.cause === undefined ? undefined : fromWire(wire.cause);
  const error =
    wire.code === undefined
      ? new Error(wire.message, { cause })
      : new ServingError(wire.code, wire.message, {
          cause,
          ...(wire.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: wire.retryAfterSeconds }),
          ...(wire.faults === undefined ? {} : { faults: wire.faults }),
        });
  if (wire.code === undefined) Object.assign(error, { name: wire.name });
  if (wire.stack !== undefined) error.stack = wire.stack;
  return error;
}
