import { callerOfRequest, isServingError } from '#model';
import { LOGGER } from '#telemetry';
import { createParamDecorator, Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** Characters of JSON. */
const LONGEST_DETAILS = 4096;

/** Who asks for a change. */
export interface Operator {
  readonly name: string;
  readonly address: string;
  readonly requestId: string;
}

/** One change that an operator asks for. */
export interface AdminChange {
  readonly operator: Operator;
  readonly action:
    'register' | 'remove' | 'update' | 'drain' | 'reset-breaker' | 'set-traffic' | 'clear-traffic';
  readonly model: string;
  readonly version?: string;
  /** What was asked for, beside the name. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Writes one line for each change that an operator asks for, whatever becomes of it. */
@Injectable()
export class AuditLog {
  readonly #logger: Logger;

  constructor(@Inject(LOGGER) logger: Logger) {
    this.#logger = logger.child({ audit: true });
  }

  /** Settles as `change` does, after its outcome has been written. */
  async record<T>({ operator, details, ...what }: AdminChange, change: Promise<T>): Promise<T> {
    const line = {
      ...what,
      ...(details === undefined ? {} : { details: bounded(details) }),
      operator: operator.name,
      address: operator.address,
      requestId: operator.requestId,
    };
    try {
      const result = await change;
      this.#logger.info({ ...line, outcome: 'ok' }, 'admin change');
      return result;
    } catch (error) {
      const outcome = isServingError(error) ? error.code : 'internal';
      this.#logger.warn({ ...line, outcome, reason: (error as Error).message }, 'admin change');
      throw error;
    }
  }
}

/** Gives a handler the {@link Operator} that it acts for. */
export const Operator = createParamDecorator((_: unknown, context: ExecutionContext): Operator => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { name = 'anonymous' } = callerOfRequest(request) ?? {};
  return { name, address: request.ip, requestId: request.id };
});

/** A request that is refused may be as large as a body can be; the log must not grow by it. */
function bounded(details: Readonly<Record<string, unknown>>): unknown {
  const text = JSON.stringify(details, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return text.length <= LONGEST_DETAILS ? details : `${text.slice(0, LONGEST_DETAILS)}…`;
}
