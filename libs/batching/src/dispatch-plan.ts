import type { BatchItem } from './queue/batch-item.js';
import type { SignatureGroup } from './queue/signature-group.js';

/** What a free lane should do with a group of waiting items. */
export type DispatchPlan<I, O> =
  | { readonly action: 'run'; readonly size: number }
  | { readonly action: 'drop'; readonly item: BatchItem<I, O> };

/** What a plan is made from. */
export interface PlanningState {
  /** Clock time, in milliseconds. */
  readonly now: number;
  /** Items that a batch may hold now, ≥ 1. */
  readonly limit: number;
  /** Lanes that share the work, ≥ 1. */
  readonly lanes: number;
  /** A time within which a batch of `size` items ends almost surely, in milliseconds; 0 while unknown. */
  readonly serviceTimeMs: (size: number) => number;
  /** Whether a batch may be made smaller for its most urgent item: not where others wait for the same device. */
  readonly maySplit: boolean;
  /** Whether an item that is sure to be late may run, so that a stale estimate can be corrected. */
  readonly mayProbe: boolean;
}

/**
 * Early drop by predicted finish, with rescue split: an item that would be late in the next batch either gets a
 * smaller batch, if that makes nobody else late, or is dropped, so that the batch serves items that can still be
 * on time. Work is never spent on an answer that nobody waits for.
 *
 * Source: the batch-aware early drop of Nexus (Shen et al., SOSP 2019), with the split found by simulation.
 */
export function planDispatch<I, O>(group: SignatureGroup<I, O>, state: PlanningState): DispatchPlan<I, O> {
  const { now, limit, mayProbe } = state;
  const size = Math.min(group.size, limit);
  const urgent = group.mostUrgent!;
  const budget = urgent.deadline - now;
  if (state.serviceTimeMs(size) <= budget) return { action: 'run', size };
  const rescued = largestWithin(budget, size - 1, state);
  if (rescued >= 1) {
    return state.maySplit && isRestOnTime(group, rescued, state)
      ? { action: 'run', size: rescued }
      : { action: 'drop', item: urgent };
  }
  return mayProbe ? { action: 'run', size: 1 } : { action: 'drop', item: urgent };
}

/** The largest batch, at most `upTo`, that ends within `budget` milliseconds; 0 when none does. */
function largestWithin(budget: number, upTo: number, { serviceTimeMs }: PlanningState): number {
  let [low, high] = [0, upTo];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (serviceTimeMs(middle) <= budget) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Rolls the queue out behind a first batch of `first` items, in order of arrival and in full batches, and tells
 * whether all of it would be on time. Where deadlines do not follow arrivals this errs towards no.
 */
function isRestOnTime<I, O>(
  group: SignatureGroup<I, O>,
  first: number,
  { now, limit, lanes, serviceTimeMs }: PlanningState,
): boolean {
  let position = 0;
  let finish = now + serviceTimeMs(first) / lanes;
  for (const item of group.inOrderOfArrival()) {
    const behindFirst = position++ - first;
    if (behindFirst < 0) continue;
    if (behindFirst % limit === 0) {
      finish += serviceTimeMs(Math.min(limit, group.size - first - behindFirst)) / lanes;
    }
    if (finish > item.deadline) return false;
  }
  return true;
}
