import type { BatchPace } from './batch-pace.js';
import type { BatcherOptions } from './batcher-options.js';
import { planDispatch } from './dispatch-plan.js';
import type { StreamingBatch } from './lane/streaming-batch.js';
import type { ArrivalQueue } from './queue/arrival-queue.js';
import type { BatchItem } from './queue/batch-item.js';
import type { SignatureGroup } from './queue/signature-group.js';

/** Without a completion for this long, an estimate that refuses everything gets one chance to be corrected. */
const PROBE_AFTER_MS = 1000;

/** A free lane that wants a batch, and the moment. */
export interface ChoiceState {
  /** Clock time, in milliseconds. */
  readonly now: number;
  readonly lane: number;
  readonly device: string;
  /** Since when the lane has been free, in clock milliseconds. */
  readonly freeSince: number;
  /** Lanes that are alive. */
  readonly lanes: number;
  /** Most items that a batch may hold now. */
  readonly limit: number;
  readonly options: BatcherOptions;
  /** Whether a batch may be held open for more items. */
  readonly mayHold: boolean;
  /** Whether a batch may be made smaller for the sake of its most urgent item. */
  readonly maySplit: boolean;
}

/** Items that have left the queue to run, or how long to wait: for ever when nothing waits. */
export type Choice<I, O> =
  { readonly items: readonly BatchItem<I, O>[] } | { readonly items?: undefined; readonly holdUntil: number };

/** Chooses what goes next on a free lane. */
export class BatchChooser<I, O> {
  readonly #queue: ArrivalQueue<I, O>;
  readonly #pace: BatchPace;
  readonly #giveUp: (item: BatchItem<I, O>) => void;

  /** @param giveUp ends an item that cannot be on time, and takes it out of the queue */
  constructor(queue: ArrivalQueue<I, O>, pace: BatchPace, giveUp: (item: BatchItem<I, O>) => void) {
    this.#queue = queue;
    this.#pace = pace;
    this.#giveUp = giveUp;
  }

  choose(state: ChoiceState): Choice<I, O> {
    const { now, limit, lanes, maySplit, device } = state;
    const { safeMs } = this.#pace.serviceTimes.on(device);
    for (;;) {
      let holdUntil = Infinity;
      // A group that is held does not hold up the others.
      const isHeld = (group: SignatureGroup<I, O>) => {
        const until = this.#holdUntil(group, state);
        holdUntil = Math.min(holdUntil, until);
        return until > now;
      };
      const group = this.#queue.next(now, isHeld);
      if (group === undefined) return { holdUntil };
      const mayProbe = this.#queue.size === 1 && now - this.#pace.lastCompletion >= PROBE_AFTER_MS;
      const plan = planDispatch(group, {
        now,
        limit,
        lanes,
        mayProbe,
        maySplit,
        serviceTimeMs: safeMs,
      });
      if (plan.action === 'run') return { items: this.#take(group, plan.size, state) };
      this.#giveUp(plan.item);
    }
  }

  /** Takes the items that may join a batch between its steps: of the group that goes next, if that is its own. */
  chooseJoiners(
    batch: StreamingBatch<I, O>,
    { now, limit, options }: Pick<ChoiceState, 'now' | 'limit' | 'options'>,
  ): readonly BatchItem<I, O>[] {
    const { streaming, maxBatchCost = Infinity } = options;
    // A part of a failed batch is judged alone.
    if (streaming !== 'continuous' || batch.isolation !== undefined) return [];
    const group = this.#queue.next(now);
    if (group === undefined || group.signature !== batch.signature) return [];
    const bounds = { count: limit - batch.size, cost: maxBatchCost - batch.cost, mayBeEmpty: true };
    return this.#queue.take(group, bounds, now);
  }

  /** Whether the next batch gains nothing by waiting for what this turn of the event loop still reads. */
  isFullBatchNext(now: number, limit: number): boolean {
    const next = this.#queue.next(now);
    return next !== undefined && next.size >= limit;
  }

  #take(group: SignatureGroup<I, O>, size: number, { now, limit, options }: ChoiceState): BatchItem<I, O>[] {
    const { preferredBatchSizes, maxBatchCost = Infinity } = options;
    const preferred = size < limit ? preferredBatchSizes?.findLast((each) => each <= size) : undefined;
    return this.#queue.take(group, { count: preferred ?? size, cost: maxBatchCost }, now);
  }

  /** Clock time until which a batch of `group` stays open. */
  #holdUntil(group: SignatureGroup<I, O>, state: ChoiceState): number {
    const { now, limit, lane, lanes, freeSince, mayHold } = state;
    if (group.size >= limit || !mayHold) return now;
    const { window, maxWaitMs } = state.options;
    const { expectedMs, safeMs } = this.#pace.serviceTimes.on(state.device);
    const wanted = window.dispatchAt({
      now,
      waiting: group.size,
      limit,
      oldestArrival: group.oldestArrival,
      freeSince,
      lane,
      lanes,
      maxWaitMs,
      serviceTimeMs: expectedMs,
    });
    const longest = Math.max(freeSince, group.oldestArrival) + maxWaitMs;
    // Nor does any hold outlast the slack of the tightest deadline.
    return Math.min(wanted, longest, group.mostUrgent!.deadline - safeMs(group.size));
  }
}
