import { ServingError } from '#model';

/** How much of the server one client may use. */
export interface ClientLimits {
  /** Most requests of its that are answered at a time, an integer ≥ 1. Default: no limit. */
  readonly maxInFlight?: number | undefined;
  /** Most requests a second in the long run, > 0. Default: no limit. */
  readonly maxRate?: number | undefined;
  /** Requests that may come at once where none came before, an integer ≥ 1. Default: those of one second. */
  readonly burst?: number | undefined;
}

interface ClientState {
  inFlight: number;
  /** Clock time at which the requests that were let in would have come, had they come at the rate. */
  theoreticalArrival: number;
}

/**
 * Keeps clients within their limits, by name. It knows as many as have limits, and needs no timer: the rate is that of
 * the generic cell rate algorithm (ITU-T I.371), which is a token bucket told as one moment in time.
 */
export class ClientLimiter {
  readonly #limits: ReadonlyMap<string, ClientLimits>;
  readonly #now: () => number;
  readonly #clients = new Map<string, ClientState>();

  /**
   * @param limits of the clients that have any
   * @param now milliseconds, monotonic
   */
  constructor(limits: ReadonlyMap<string, ClientLimits>, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /**
   * Lets a request of a client in.
   *
   * @returns to be called once when the request has been answered
   * @throws {ServingError} `concurrency_limited` or `rate_limited`; a request that is refused counts for nothing
   */
  enter(client: string): () => void {
    const limits = this.#limits.get(client);
    if (limits === undefined) return () => undefined;
    const state = this.#stateOf(client);
    const { maxInFlight = Infinity } = limits;
    if (state.inFlight >= maxInFlight) {
      const message = `${maxInFlight} requests of '${client}' are being answered, and no more may be`;
      throw new ServingError('concurrency_limited', message, { retryAfterSeconds: 1 });
    }
    this.#spend(client, limits, state);
    state.inFlight++;
    return () => {
      state.inFlight--;
    };
  }

  #spend(client: string, { maxRate, burst }: ClientLimits, state: ClientState): void {
    if (maxRate === undefined) return;
    const intervalMs = 1000 / maxRate;
    const toleranceMs = ((burst ?? Math.max(1, Math.floor(maxRate))) - 1) * intervalMs;
    const now = this.#now();
    const due = Math.max(state.theoreticalArrival, now);
    const earlyMs = due - toleranceMs - now;
    // Sums of intervals that are no binary fractions miss by a little.
    if (earlyMs > 1e-6) {
      throw new ServingError('rate_limited', `'${client}' may send ${maxRate} requests a second`, {
        retryAfterSeconds: Math.max(1, Math.ceil(earlyMs / 1000)),
      });
    }
    state.theoreticalArrival = due + intervalMs;
  }

  #stateOf(client: string): ClientState {
    let state = this.#clients.get(client);
    if (state === undefined) {
      state = { inFlight: 0, theoreticalArrival: -Infinity };
      this.#clients.set(client, state);
    }
    return state;
  }
}
