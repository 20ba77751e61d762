import type { ServingError } from '#model';

/**
 * What a failed batch says about its items.
 *
 * - `item`: one or some of them are to blame: take the batch apart.
 * - `memory`: they were too many: make batches smaller from now on, and try again in halves.
 * - `death`: one of them may have killed the worker: run each once more, alone, so that none kills it twice with others.
 * - `final`: the handler broke its contract, the worker hung, or something behind the model is down: running
 *   the items again would hide the fault or multiply the load.
 */
export type FailureKind = 'item' | 'memory' | 'death' | 'final';

const OUT_OF_MEMORY = /out of memory|bad_?alloc|failed to allocate|allocation failed|\bOOM\b/i;
const INFRASTRUCTURE = /^E(CONN|HOST|NET|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN)/;

/** Classifies the error with which a batch ended. */
export function failureKind(error: ServingError): FailureKind {
  if (error.code === 'worker_died') return 'death';
  const chain = causes(error);
  if (chain.some(({ message }) => OUT_OF_MEMORY.test(message))) return 'memory';
  if (chain.some(({ code }) => typeof code === 'string' && INFRASTRUCTURE.test(code))) return 'final';
  return error.code === 'handler_failed' || error.status < 500 ? 'item' : 'final';
}

function causes(error: Error): (Error & { code?: unknown })[] {
  const chain: Error[] = [];
  for (let next: unknown = error; next instanceof Error && chain.length < 10; next = next.cause)
    chain.push(next);
  return chain;
}
