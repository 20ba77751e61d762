import type { ServingError } from '#model';
import { Admission } from './admission/admission.js';
import { WaitEstimate } from './admission/wait-estimate.js';
import { BatchChooser } from './batch-chooser.js';
import { BatchLimits } from './batch-limits.js';
import { BatchPace } from './batch-pace.js';
import type { BatcherObserver } from './batcher-observer.js';
import type { BatcherOptions } from './batcher-options.js';
import type { Clock } from './clock/clock.js';
import type { DeviceArbiter, DeviceContender, DeviceNeed } from './device/device-arbiter.js';
import { DispatchTrigger } from './dispatch-trigger.js';
import { DrainNotice } from './drain-notice.js';
import { FailedBatches } from './isolation/failed-batches.js';
import type { Isolation } from './isolation/isolation.js';
import type { Batch } from './lane/batch.js';
import { LaneSupervision } from './lane/lane-supervision.js';
import type { LaneTable } from './lane/lane-table.js';
import type { Lane } from './lane/lane.js';
import { RunningBatches } from './lane/running-batches.js';
import type { StreamingBatch } from './lane/streaming-batch.js';
import { ArrivalQueue } from './queue/arrival-queue.js';
import type { BatchItem } from './queue/batch-item.js';
import { deadlineExceeded } from './queue/deadline-exceeded.js';
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
  readonly #supervision: LaneSupervision<I, O>;
  readonly #limits: BatchLimits<I, O>;
  readonly #trigger: DispatchTrigger;
  readonly #drain = new DrainNotice(() => this.#isEmpty);
  readonly #guard: (window: WindowPolicy) => WindowPolicy;
  #options: BatcherOptions;
  #isDispatching = false;
  #holds = true;

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
      this.#lanes.hasFree ? 0 : this.#pace.serviceTimes.fastestSafeMs(1),
    );
    this.#running = new RunningBatches(clock, observer, {
      getOptions: () => this.#options,
      runLimitMs: (lane, batch) => this.#supervision.runLimitMs(lane, batch),
      overran: (lane, batch) => this.#supervision.overran(lane, batch),
      expire,
      placed: (item) => this.#waitingUntil.delete(item),
      takeJoiners: (batch, now) => this.#takeJoiners(batch, now),
      isLaneWanted: () => !this.#lanes.hasFree && this.#queue.size + this.#failed.size > 0,
      withdraw: (item, error) => this.withdraw(item, error),
      stirred: () => this.#trigger.soon(),
      ended: (lane, batch) => this.#ended(lane, batch),
    });
    this.#lanes = this.#running.lanes;
    this.#trigger = new DispatchTrigger(clock, () => this.dispatch());
    const sources = {
      queue: this.#queue,
      lanes: this.#lanes,
      failed: this.#failed,
      pace: this.#pace,
      loopDelay: this.#trigger.loopDelay,
      devices,
      clock,
      getOptions: () => this.#options,
    };
    this.#supervision = new LaneSupervision(sources, this);
    this.#limits = new BatchLimits(sources);
    const estimate = new WaitEstimate({ ...sources, getLimit: () => this.#limits.usual });
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
    return this.#limits.most;
  }

  add(item: BatchItem<I, O>): void {
    this.#queue.add(item);
    this.#waitingUntil.add(item);
    this.#options.window.arrived?.(item.arrival);
    this.#trigger.soon();
  }

  /** Ends an item before its batch does: its place in the queue is free at once. */
  withdraw(item: BatchItem<I, O>, error: ServingError): void {
    if (item.settled) return;
    this.#queue.delete(item);
    this.#waitingUntil.delete(item);
    this.#running.forget(item);
    item.reject(error);
    item.onDeparted?.();
    this.#drain.review();
  }

  addLane(lane: Lane<I, O>): void {
    this.#supervision.add(lane, this.#clock.now());
    this.#trigger.soon();
  }

  removeLane(lane: Lane<I, O>, error: ServingError): void {
    if (this.#supervision.takeOut(lane)) this.#lanes.batchOn(lane)?.fail(error);
  }

  /** Takes a lane out that may still end its batch. */
  retireLane(lane: Lane<I, O>): void {
    this.#supervision.takeOut(lane);
    this.#running.closeToJoiners(lane);
  }

  configure(options: Partial<BatcherOptions>): void {
    const window = options.window === undefined ? this.#options.window : this.#guard(options.window);
    this.#options = { ...this.#options, ...options, window };
    this.#pace.configure(this.#options);
    this.#trigger.soon();
  }

  /** Starts what is there from now on: nobody else will come. */
  stopHolding(): void {
    this.#holds = false;
    this.#trigger.soon();
  }

  drained(): Promise<void> {
    return this.#drain.wait();
  }

  abandon(error: ServingError): void {
    const running = [...this.#lanes.batches].flatMap(({ items }) => items);
    for (const item of [...this.#queue.clear(), ...this.#failed.clear(), ...running])
      this.withdraw(item, error);
  }

  get #isEmpty(): boolean {
    return this.#queue.size === 0 && this.#failed.size === 0 && this.#lanes.isIdle;
  }

  need(device: string): DeviceNeed | undefined {
    const now = this.#clock.now();
    const group = this.#queue.next(now);
    if (group === undefined || !this.#lanes.hasFreeOn(device)) return undefined;
    const { safeMs } = this.#pace.serviceTimes.on(device);
    const slackMs = group.mostUrgent!.deadline - now - safeMs(Math.min(group.size, this.batchLimit));
    return { slackMs, longestRunMs: safeMs(this.batchLimit), waiting: this.#queue.size };
  }

  dispatch(): void {
    this.#trigger.dispatched();
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
      device: lane.device,
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
    if (choice.holdUntil < Infinity) this.#trigger.in(choice.holdUntil - now);
    return false;
  }

  #start(lane: Lane<I, O>, items: readonly BatchItem<I, O>[], isolation?: Isolation): void {
    this.#devices.batchStarted(lane.device);
    this.#running.start(lane, items, this.batchLimit, isolation);
  }

  #takeJoiners(batch: StreamingBatch<I, O>, now: number): readonly BatchItem<I, O>[] {
    // Parts of a failed batch go first.
    if (this.#failed.size > 0) return [];
    return this.#chooser.chooseJoiners(batch, { now, limit: this.batchLimit, options: this.#options });
  }

  #ended(lane: Lane<I, O>, batch: Batch<I, O>): void {
    this.#pace.observe(batch, lane.device, this.#clock.now());
    for (const item of this.#failed.judge(batch, this.#options.idempotent ?? true))
      this.#waitingUntil.add(item);
    if (this.#failed.isBroken(batch)) this.#supervision.recycle(lane);
    this.#devices.batchEnded(lane.device);
    // Before the answers of this batch are written, which the lane would have to wait for. One that ends a batch within
    // its start must not start the next one from there.
    const startsNext =
      !this.#isDispatching && this.#chooser.isFullBatchNext(this.#clock.now(), this.batchLimit);
    if (startsNext) this.dispatch();
    else this.#trigger.soon();
    this.#drain.review();
  }
}
