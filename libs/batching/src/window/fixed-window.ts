import type { WindowPolicy, WindowState } from './window-policy.js';

/**
 * Waits up to `maxWaitMs` for a full batch, counted from the arrival of the oldest waiting item: one that has
 * already waited behind a running batch does not wait again.
 */
export class FixedWindow implements WindowPolicy {
  dispatchAt({ oldestArrival, maxWaitMs }: WindowState): number {
    return oldestArrival + maxWaitMs;
  }
}
