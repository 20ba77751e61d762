/** Who sent a request. */
export interface Caller {
  /** The name of the API key or token: for logs, and for limits of its own. Never the secret itself. */
  readonly name: string;
  readonly role: 'client' | 'operator';
}

const CALLER = Symbol.for('smartbatch.caller');

/** Remembers who sent a request, for whoever handles the request next. */
export function setCallerOfRequest(request: object, caller: Caller): void {
  (request as Record<symbol, Caller>)[CALLER] = caller;
}

/** Who sent a request; `undefined` where nobody has to say. */
export function callerOfRequest(request: object): Caller | undefined {
  return (request as Record<symbol, Caller | undefined>)[CALLER];
}
