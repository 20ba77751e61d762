import { ERROR_CODES, isServingError, ServingError, type ErrorCode } from '#model';
import { HttpException } from '@nestjs/common';

/** The body of an error (RFC 9457). */
export interface ProblemDetails {
  /** Where the error is explained. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** A stable name for the kind of error. */
  readonly code: ErrorCode;
  readonly request_id: string;
  /** The single faults of an invalid value. */
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'unreadable_body',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
};

/** Any error as one with a code. What was not made for clients becomes `internal` and keeps its secrets. */
export function toServingError(error: unknown): ServingError {
  if (isServingError(error)) return error;
  // What a hook of Fastify's throws, Nest has wrapped.
  if (error instanceof HttpException && isServingError(error.cause)) return error.cause;
  const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
  const code = BY_STATUS[status] ?? (isOwnRefusal(error) ? 'refused' : undefined);
  if (code === undefined) {
    return new ServingError('internal', 'the server failed on this request', { cause: error });
  }
  return new ServingError(code, (error as Error).message, { cause: error });
}

/** The status that an error leaves with: what a guard or filter of a team's own refuses keeps its own. */
export function statusOfProblem({ code, status, cause }: ServingError): number {
  return code === 'refused' && cause instanceof HttpException ? cause.getStatus() : status;
}

export function toProblem(error: ServingError, requestId: string): ProblemDetails {
  const { title } = ERROR_CODES[error.code];
  return {
    type: `/docs/errors#${error.code}`,
    title,
    status: statusOfProblem(error),
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.faults === undefined ? {} : { errors: error.faults }),
  };
}

/** A client's fault, as Nest's exceptions tell it. */
function isOwnRefusal(error: unknown): boolean {
  return error instanceof HttpException && error.getStatus() >= 400 && error.getStatus() < 500;
}

/** Fastify's own errors carry their status. */
function statusOf(error: unknown): number {
  return Number((error as { statusCode?: unknown } | null)?.statusCode ?? 500);
}
