import type { Completion, Start, WindowPolicy, WindowState } from './window-policy.js';

/**
 * The error boundary around a window policy, which may be a team's own code: what it throws stays here, and the batch
 * in question starts at once.
 */
export class GuardedWindow implements WindowPolicy {
  readonly #policy: WindowPolicy;
  readonly #onFirstError: (error: unknown) => void;
  #hasFailed = false;

  /** @param onFirstError hears of the first error: the others, at every arrival perhaps, would say the same */
  constructor(policy: WindowPolicy, onFirstError: (error: unknown) => void) {
    this.#policy = policy;
    this.#onFirstError = onFirstError;
  }

  dispatchAt(state: WindowState): number {
    try {
      return this.#policy.dispatchAt(state);
    } catch (error) {
      this.#failed(error);
      return state.now;
    }
  }

  arrived(now: number): void {
    try {
      this.#policy.arrived?.(now);
    } catch (error) {
      this.#failed(error);
    }
  }

  started(start: Start): void {
    try {
      this.#policy.started?.(start);
    } catch (error) {
      this.#failed(error);
    }
  }

  completed(completion: Completion): void {
    try {
      this.#policy.completed?.(completion);
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#onFirstError(error);
  }
}
