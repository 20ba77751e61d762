import { ServingError } from '#model';
import { LoopDelay } from './admission/loop-delay.js';
import { Admission } from './admission/admission.js';
import { WaitEstimate } from './admission/wait-estimate.js';
import { BatchChooser } from './batch-chooser.js';
import { BatchPace } from './batch-pace.js';
import type { BatcherObserver } from './batcher-observer.js';
import type { BatcherOptions } from './batcher-options.js';
import type { Clock, Timer } from './clock/clock.js';
import type { DeviceArbiter, DeviceContender, DeviceNeed } from './device/device-arbiter.js';
import { FailedBatches } from './isolation/failed-batches.js';
import type { Isolation } from './isolation/isolation.js';
import type { Batch } from './lane/batch.js';
import type { LaneTable } from './lane/lane-table.js';
import type { Lane } from './lane/lane.js';
import { RunningBatches } from './lane/running-batches.js';
import type { StreamingBatch } from './lane/streaming-batch.js';
import { ArrivalQueue } from './queue/arrival-queue.js';
import type { BatchItem } from './queue/batch-item.js';
import { DeadlineWatch } from './queue/deadline-watch.js';
import { GuardedWindow } from './window/guarded-window.js';
import type { WindowPolicy } from './window/window-policy.js';

const DEFAULT_STARVATION_MS = 5000;

/** Brings waiting items to free lanes: the engine inside `DynamicBatcher`. */
export class Dispatcher<I, O> implements DeviceContender {
  readonly admission: Admission<I, O>;
  readonly #clock: Clock;
  readonly #devices: DeviceArbiter;
  readonly #queue: ArrivalQueue<I, O>;
  readonly #failed: FailedBatches<I, O>;
  /** Gives waiting items up as soon as not even a batch of their own could be on time. */
  readonly #waitingUntil: DeadlineWatch<I, O>;
  readonly #pace: BatchPace;
  readonly #chooser: BatchChooser<I, O>;
  readonly #running: RunningBatches<I, O>;
  readonly #lanes: LaneTable<I, O>;
  readonly #loopDelay = new LoopDelay();
  readonly #guard: (window: WindowPolicy) => WindowPolicy;
  #options: BatcherOptions;
  #holdTimer: Timer | undefined;
  #dispatchPending = false;
  #isDispatching = false;
  #holds = true;
  #onDrained: (() => void)[] = [];

  constructor(options: BatcherOptions, clock: Clock, observer: BatcherObserver, devices: DeviceArbiter) {
    this.#guard = (window) => new GuardedWindow(window, (error) => observer.windowFailed?.(error));
    this.#options = { ...options, window: this.#guard(options.window) };
    this.#clock = clock;
    this.#devices = devices;
    this.#pace = new BatchPace(options);
    this.#queue = new ArrivalQueue(options.starvationMs ?? DEFAULT_STARVATION_MS);
    this.#failed = new FailedBatches(observer);
    const expire = (item: BatchItem<I, O>) => this.withdraw(item, deadlineExceeded());
    this.#chooser = new BatchChooser(this.#queue, this.#pace, expire);
    this.#waitingUntil = new DeadlineWatch(clock, expire, () =>
      this.#lanes.hasFree ? 0 : this.#pace.safeMs(1),
    );
    this.#running = new RunningBatches(clock, observer, {
      getOptions: () => this.#options,
      runLimitMs: (batch) => this.#runLimitMs(batch),
      overran: (lane, batch) => this.#overran(lane, batch),
      expire,
      placed: (item) => this.#waitingUntil.delete(item),
      takeJoiners: (batch, now) => this.#takeJoiners(batch, now),
      isLaneWanted: () => !this.#lanes.hasFree && this.#queue.size + this.#failed.size > 0,
      withdraw: (item, error) => this.withdraw(item, error),
      stirred: () => this.#dispatchSoon(),
      ended: (lane, batch) => this.#ended(lane, batch),
    });
    this.#lanes = this.#running.lanes;
    const sources = { queue: this.#queue, lanes: this.#lanes, clock, getOptions: () => this.#options };
    const estimate = new WaitEstimate({
      ...sources,
      failed: this.#failed,
      pace: this.#pace,
      loopDelay: this.#loopDelay,
      getLimit: () => this.#usualLimit,
    });
    this.admission = new Admission({ ...sources, estimate });
  }

  get options(): BatcherOptions {
    return this.#options;
  }

  get queueSize(): number {
    return this.#queue.size;
  }

  get runningSize(): number {
    return this.#running.size;
  }

  get laneCount(): number {
    return this.#lanes.size;
  }

  get batchLimit(): number {
    return Math.min(this.#pace.limit, this.#failed.memoryLimit);
  }

  /** Items that a full batch holds where they cost as much as those that wait. */
  get #usualLimit(): number {
    const { maxBatchCost = Infinity } = this.#options;
    const { meanCost } = this.#queue;
    return meanCost === 0
      ? this.batchLimit
      : Math.max(1, Math.min(this.batchLimit, Math.floor(maxBatchCost / meanCost)));
  }

  add(item: BatchItem<I, O>): void {
    this.#queue.add(item);
    this.#waitingUntil.add(item);
    this.#options.window.arrived?.(item.arrival);
    this.#dispatchSoon();
  }

  /** Ends an item before its batch does: its place in the queue is free at once. */
  withdraw(item: BatchItem<I, O>, error: ServingError): void {
    if (item.settled) return;
    this.#queue.delete(item);
    this.#waitingUntil.delete(item);
    this.#running.forget(item);
    item.reject(error);
    item.onDeparted?.();
    this.#announceIfDrained();
  }

  addLane(lane: Lane<I, O>): void {
    this.#lanes.add(lane, this.#clock.now());
    this.#devices.join(this);
    this.#dispatchSoon();
  }

  removeLane(lane: Lane<I, O>, error: ServingError): void {
    if (this.#takeOut(lane)) this.#lanes.batchOn(lane)?.fail(error);
  }

  /** Takes a lane out that may still end its batch. */
  retireLane(lane: Lane<I, O>): void {
    this.#takeOut(lane);
    this.#running.closeToJoiners(lane);
  }

  configure(options: Partial<BatcherOptions>): void {
    const window = options.window === undefined ? this.#options.window : this.#guard(options.window);
    this.#options = { ...this.#options, ...options, window };
    this.#pace.configure(this.#options);
    this.#dispatchSoon();
  }

  /** Starts what is there from now on: nobody else will come. */
  stopHolding(): void {
    this.#holds = false;
    this.#dispatchSoon();
  }

  drained(): Promise<void> {
    if (this.#isEmpty) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onDrained.push(resolve);
    });
  }

  abandon(error: ServingError): void {
    const running = [...this.#lanes.batches].flatMap(({ items }) => items);
    for (const item of [...this.#queue.clear(), ...this.#failed.clear(), ...running])
      this.withdraw(item, error);
  }

  get #isEmpty(): boolean {
    return this.#queue.size === 0 && this.#failed.size === 0 && this.#lanes.isIdle;
  }

  #dispatchSoon(): void {
    if (this.#dispatchPending) return;
    this.#dispatchPending = true;
    // Requests that were read in one turn of the event loop should leave in one batch.
    const from = this.#clock.now();
    this.#clock.afterArrivals(() => {
      const now = this.#clock.now();
      this.#loopDelay.observe(now - from, now);
      this.#dispatchPending = false;
      this.dispatch();
    });
  }

  need(device: string): DeviceNeed | undefined {
    const now = this.#clock.now();
    const group = this.#queue.next(now);
    if (group === undefined || !this.#lanes.hasFreeOn(device)) return undefined;
    const { safeMs } = this.#pace;
    const slackMs = group.mostUrgent!.deadline - now - safeMs(Math.min(group.size, this.batchLimit));
    return { slackMs, longestRunMs: safeMs(this.batchLimit), waiting: this.#queue.size };
  }

  dispatch(): void {
    this.#holdTimer?.cancel();
    this.#holdTimer = undefined;
    this.#isDispatching = true;
    this.#fillLanes();
    this.#isDispatching = false;
    this.#running.review();
  }

  #fillLanes(): void {
    for (const [lane, freeSince] of this.#lanes.free) {
      if (!this.#devices.hasRoom(lane.device)) continue;
      const retry = this.#failed.next(this.#queue.size);
      if (retry !== undefined) this.#start(lane, retry.items, retry.isolation);
      else if (!this.#startNext(lane, freeSince)) return;
    }
  }

  /** Starts what goes next on `lane`. Returns false when nothing does now. */
  #startNext(lane: Lane<I, O>, freeSince: number): boolean {
    const now = this.#clock.now();
    const choice = this.#chooser.choose({
      now,
      lane: lane.id,
      freeSince,
      lanes: this.#lanes.size,
      limit: this.batchLimit,
      options: this.#options,
      mayHold: this.#holds,
      maySplit: !this.#devices.isWantedByOthers(lane.device, this),
    });
    if (choice.items !== undefined) {
      this.#start(lane, choice.items);
      return true;
    }
    if (choice.holdUntil < Infinity) {
      this.#holdTimer = this.#clock.setTimer(choice.holdUntil - now, () => this.dispatch());
    }
    return false;
  }

  #start(lane: Lane<I, O>, items: readonly BatchItem<I, O>[], isolation?: Isolation): void {
    this.#devices.batchStarted(lane.device);
    this.#running.start(lane, items, this.batchLimit, isolation);
  }

  /** Takes the items that may join a batch between its steps: of the group that goes next, if that is its own. */
  #takeJoiners(batch: StreamingBatch<I, O>, now: number): readonly BatchItem<I, O>[] {
    const { streaming, maxBatchCost = Infinity } = this.#options;
    // Parts of a failed batch wait for a lane, and are judged alone.
    if (streaming !== 'continuous' || batch.isolation !== undefined || this.#failed.size > 0) return [];
    const group = this.#queue.next(now);
    if (group === undefined || group.signature !== batch.signature) return [];
    const count = this.batchLimit - batch.size;
    return this.#queue.take(group, { count, cost: maxBatchCost - batch.cost, mayBeEmpty: true }, now);
  }

  #ended(lane: Lane<I, O>, batch: Batch<I, O>): void {
    this.#pace.observe(batch, this.#clock.now());
    for (const item of this.#failed.judge(batch, this.#options.idempotent ?? true))
      this.#waitingUntil.add(item);
    if (this.#failed.isBroken(batch)) this.#recycle(lane);
    this.#devices.batchEnded(lane.device);
    // A lane that ends a batch within its start must not start the next one from there.
    if (this.#isFullBatchNext && !this.#isDispatching) this.dispatch();
    else this.#dispatchSoon();
    this.#announceIfDrained();
  }

  /**
   * Whether the next batch gains nothing by waiting for what this turn of the event loop still reads. It starts at once
   * then, before the answers of the batch before it are written, which the lane would have to wait for.
   */
  get #isFullBatchNext(): boolean {
    const next = this.#queue.next(this.#clock.now());
    return next !== undefined && next.size >= this.batchLimit;
  }

  /** Nothing can be smaller than what has just failed for want of memory: the worker itself is at its end. */
  #recycle(lane: Lane<I, O>): void {
    if (lane.recycle === undefined) return;
    this.#takeOut(lane);
    lane.recycle();
  }

  #overran(lane: Lane<I, O>, batch: Batch<I, O>): void {
    // First, so that it gets no other batch when this one has ended.
    if (lane.giveUp !== undefined) this.#takeOut(lane);
    batch.fail(new ServingError('run_timeout', 'the model ran longer than it ever should'));
    lane.giveUp?.();
  }

  #runLimitMs({ size, streams }: Batch<I, O>): number {
    const { runTimeoutMs, timeoutMs } = this.#options;
    if (runTimeoutMs !== undefined) return runTimeoutMs;
    return streams ? Infinity : this.#pace.hungAfterMs(size, timeoutMs);
  }

  #takeOut(lane: Lane<I, O>): boolean {
    if (!this.#lanes.remove(lane)) return false;
    if (this.#lanes.size === 0) this.#devices.leave(this);
    return true;
  }

  #announceIfDrained(): void {
    if (!this.#isEmpty || this.#onDrained.length === 0) return;
    const listeners = this.#onDrained;
    this.#onDrained = [];
    for (const listener of listeners) listener();
  }
}

function deadlineExceeded(): ServingError {
  return new ServingError(
    'deadline_exceeded',
    'the deadline passed, or would have before the answer was there',
  );
}
