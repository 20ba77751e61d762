import type { WindowPolicy, WindowState } from './window-policy.js';

/**
 * A free lane takes what is there. Batches grow by themselves while every lane is busy, which for
 * independent arrivals is the best that any window can do.
 */
export class EagerWindow implements WindowPolicy {
  dispatchAt({ now }: WindowState): number {
    return now;
  }
}
