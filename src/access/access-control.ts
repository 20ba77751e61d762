import { ServingError, type Caller } from '#model';
import type { IncomingHttpHeaders } from 'node:http';
import type { Audience } from './audience.js';
import { findCredential, type Credential } from './credentials.js';
import { strangersHand } from './loopback.js';
import { presentedSecrets } from './presented-secrets.js';

/** Who may ask what. */
export interface AccessRules {
  /** Who may do everything. None: this machine's user, which needs a server that listens on loopback alone. */
  readonly operators: readonly Credential[];
  /** Who may ask for predictions. None: anyone. */
  readonly clients: readonly Credential[];
  /** Whether anyone may read the metrics. */
  readonly metricsArePublic: boolean;
}

/** Decides whom a route answers. */
export class AccessControl {
  readonly #rules: AccessRules;

  constructor(rules: AccessRules) {
    this.#rules = rules;
  }

  /** Who sends these headers; `undefined` when they do not tell. An operator is one before being a client. */
  callerOf(headers: IncomingHttpHeaders): Caller | undefined {
    const { operators, clients } = this.#rules;
    if (operators.length === 0 && clients.length === 0) return undefined;
    const secrets = presentedSecrets(headers);
    return known(operators, secrets, 'operator') ?? known(clients, secrets, 'client');
  }

  /**
   * @param caller as {@link callerOf} tells
   * @returns the error with which the request must be refused, if it must
   */
  refusal(
    audience: Audience,
    caller: Caller | undefined,
    headers: IncomingHttpHeaders,
  ): ServingError | undefined {
    const { operators, clients, metricsArePublic } = this.#rules;
    switch (audience) {
      case 'everyone':
        return undefined;
      case 'clients':
        return clients.length === 0 || caller !== undefined ? undefined : unauthorized('an API key');
      case 'monitors':
        return metricsArePublic ? undefined : this.refusal('operators', caller, headers);
      case 'operators':
        if (operators.length === 0) return refuseStrangers(headers);
        return caller?.role === 'operator' ? undefined : unauthorized('an admin token');
    }
  }

  /** Whether the request would be let through. */
  admits(audience: Audience, headers: IncomingHttpHeaders): boolean {
    return this.refusal(audience, this.callerOf(headers), headers) === undefined;
  }
}

function known(
  credentials: readonly Credential[],
  secrets: readonly string[],
  role: Caller['role'],
): Caller | undefined {
  for (const secret of secrets) {
    const credential = findCredential(credentials, secret);
    if (credential !== undefined) return { name: credential.name, role };
  }
  return undefined;
}

function unauthorized(what: string): ServingError {
  return new ServingError('unauthorized', `this needs ${what}: send it as 'Authorization: Bearer …'`);
}

function refuseStrangers(headers: IncomingHttpHeaders): ServingError | undefined {
  const reason = strangersHand(headers);
  if (reason === undefined) return undefined;
  const message = `no admin token is set, so only this machine's user may do this, and ${reason}`;
  return new ServingError('forbidden', message);
}
