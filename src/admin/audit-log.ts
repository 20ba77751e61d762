import { isServingError } from '#model';
import { LOGGER } from '#telemetry';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';

/** Characters of JSON. */
const LONGEST_DETAILS = 4096;

/** What operators can change. */
export type AdminAction =
  'register' | 'remove' | 'update' | 'drain' | 'reset-breaker' | 'set-traffic' | 'clear-traffic';

/** One change that an operator asks for. */
export interface AdminChange {
  readonly action: AdminAction;
  readonly model: string;
  /** Left out while only the model knows it. */
  readonly version?: string;
  /** How it is to be done. */
  readonly query: Readonly<Record<string, unknown>>;
  /** What was sent, as it was understood; left out where it was not, or where there was nothing. */
  readonly body: unknown;
  /** The name of the token. */
  readonly operator: string;
  readonly address: string;
  readonly requestId: string;
}

/** Writes one line for each change that an operator asks for, whatever becomes of it. */
@Injectable()
export class AuditLog {
  readonly #logger: Logger;

  constructor(@Inject(LOGGER) logger: Logger) {
    this.#logger = logger.child({ audit: true });
  }

  done(change: AdminChange): void {
    this.#logger.info({ ...change, body: bounded(change.body), outcome: 'ok' }, 'admin change');
  }

  refused(change: AdminChange, error: unknown): void {
    const outcome = isServingError(error) ? error.code : 'internal';
    const { message: reason } = error as Error;
    this.#logger.warn({ ...change, body: bounded(change.body), outcome, reason }, 'admin change');
  }
}

/** A request that is refused may be as large and as deep as a body can be; the log must not grow or fail by it. */
function bounded(body: unknown): unknown {
  if (body === undefined) return undefined;
  let text: string;
  try {
    text = JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  } catch {
    return 'too deep to be shown';
  }
  return text.length <= LONGEST_DETAILS ? body : `${text.slice(0, LONGEST_DETAILS)}…`;
}
