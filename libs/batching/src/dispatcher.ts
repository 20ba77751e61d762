import { ServingError } from '#model';
import { BatchChooser } from './batch-chooser.js';
import { BatchPace } from './batch-pace.js';
import type { BatcherObserver } from './batcher-observer.js';
import type { BatcherOptions } from './batcher-options.js';
import type { Clock, Timer } from './clock/clock.js';
import type { DeviceArbiter, DeviceContender, DeviceNeed } from './device/device-arbiter.js';
import { FailedBatches } from './isolation/failed-batches.js';
import type { Isolation } from './isolation/isolation.js';
import { Batch } from './lane/batch.js';
import { LaneTable } from './lane/lane-table.js';
import type { Lane } from './lane/lane.js';
import { StreamingBatch, type EndedStep, type StreamingBatchEvents } from './lane/streaming-batch.js';
import { ArrivalQueue } from './queue/arrival-queue.js';
import type { BatchItem } from './queue/batch-item.js';
import { DeadlineWatch } from './queue/deadline-watch.js';
import { RunningStreams } from './stream/running-streams.js';

const DEFAULT_STARVATION_MS = 5000;

/** Brings waiting items to free lanes: the engine inside `DynamicBatcher`. */
export class Dispatcher<I, O> implements DeviceContender {
  readonly #clock: Clock;
  readonly #observer: BatcherObserver;
  readonly #devices: DeviceArbiter;
  readonly #queue: ArrivalQueue<I, O>;
  readonly #failed: FailedBatches<I, O>;
  /** Gives waiting items up as soon as not even a batch of their own could be on time. */
  readonly #waitingUntil: DeadlineWatch<I, O>;
  readonly #runningUntil: DeadlineWatch<I, O>;
  readonly #pace: BatchPace;
  readonly #chooser: BatchChooser<I, O>;
  readonly #lanes = new LaneTable<I, O>();
  readonly #streams: RunningStreams<I, O>;
  #options: BatcherOptions;
  #holdTimer: Timer | undefined;
  #dispatchPending = false;
  #holds = true;
  #onDrained: (() => void)[] = [];
  #nextBatchId = 0;

  constructor(options: BatcherOptions, clock: Clock, observer: BatcherObserver, devices: DeviceArbiter) {
    this.#options = options;
    this.#clock = clock;
    this.#observer = observer;
    this.#devices = devices;
    this.#pace = new BatchPace(options);
    this.#queue = new ArrivalQueue(options.starvationMs ?? DEFAULT_STARVATION_MS);
    this.#failed = new FailedBatches(observer);
    const expire = (item: BatchItem<I, O>) => this.withdraw(item, deadlineExceeded());
    this.#chooser = new BatchChooser(this.#queue, this.#pace, expire);
    this.#waitingUntil = new DeadlineWatch(clock, expire, () =>
      this.#lanes.hasFree ? 0 : this.#pace.safeMs(1),
    );
    this.#runningUntil = new DeadlineWatch(clock, expire);
    this.#streams = new RunningStreams(clock, {
      takeJoiners: (batch, now) => this.#takeJoiners(batch, now),
      isLaneWanted: () => !this.#lanes.hasFree && this.#queue.size + this.#failed.size > 0,
      withdraw: (item, error) => this.withdraw(item, error),
    });
  }

  get options(): BatcherOptions {
    return this.#options;
  }

  get queueSize(): number {
    return this.#queue.size;
  }

  get runningSize(): number {
    let size = 0;
    for (const batch of this.#lanes.batches) size += batch.size;
    return size;
  }

  get laneCount(): number {
    return this.#lanes.size;
  }

  get batchLimit(): number {
    return Math.min(this.#pace.limit, this.#failed.memoryLimit);
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
    this.#runningUntil.delete(item);
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
    if (!this.#lanes.remove(lane)) return;
    if (this.#lanes.size === 0) this.#devices.leave(this);
    this.#lanes.batchOn(lane)?.fail(error);
  }

  configure(options: Partial<BatcherOptions>): void {
    this.#options = { ...this.#options, ...options };
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
    this.#clock.afterArrivals(() => {
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
    this.#fillLanes();
    this.#streams.review();
  }

  #fillLanes(): void {
    for (const [lane, freeSince] of this.#lanes.free) {
      if (!this.#devices.hasRoom(lane.device)) continue;
      const retry = this.#failed.next(this.#queue.size);
      const now = this.#clock.now();
      if (retry !== undefined) this.#start(lane, retry.items, retry.isolation, now);
      else if (!this.#startNext(lane, freeSince, now)) return;
    }
  }

  /** Starts what goes next on `lane`. Returns false when nothing does now. */
  #startNext(lane: Lane<I, O>, freeSince: number, now: number): boolean {
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
      this.#start(lane, choice.items, undefined, now);
      return true;
    }
    if (choice.holdUntil < Infinity) {
      this.#holdTimer = this.#clock.setTimer(choice.holdUntil - now, () => this.dispatch());
    }
    return false;
  }

  #start(
    lane: Lane<I, O>,
    items: readonly BatchItem<I, O>[],
    isolation: Isolation | undefined,
    now: number,
  ): void {
    const batch = this.#createBatch(lane, items, isolation, now);
    if (isolation !== undefined) batch.trigger = 'retry';
    else if (items.length >= this.batchLimit) batch.trigger = 'full';
    for (const item of items) this.#place(item, batch);
    this.#lanes.started(lane, batch);
    this.#devices.batchStarted(lane.device);
    this.#options.window.started?.({ now, lane: lane.id, size: batch.size });
    this.#observer.batchStarted?.(batch, lane);
    lane.start(batch);
  }

  #createBatch(
    lane: Lane<I, O>,
    items: readonly BatchItem<I, O>[],
    isolation: Isolation | undefined,
    now: number,
  ): Batch<I, O> {
    const id = this.#nextBatchId++;
    if (this.#options.streaming === undefined) {
      return new Batch(id, items, now, isolation, (ended) => this.#ended(lane, ended));
    }
    const events: StreamingBatchEvents<I, O> = {
      ended: (batch) => {
        this.#streams.forget(batch);
        this.#ended(lane, batch);
      },
      stepped: (_, step) => this.#stepEnded(lane, step),
      stood: (batch) => this.#streams.goOn(batch),
      stirred: () => this.#dispatchSoon(),
    };
    return new StreamingBatch(id, items, now, isolation, events);
  }

  #place(item: BatchItem<I, O>, batch: Batch<I, O>): void {
    item.state = 'running';
    item.onDeparted = () => batch.depart(item);
    this.#waitingUntil.delete(item);
    this.#runningUntil.add(item);
  }

  /** Takes the items that may join a batch between its steps: of the group that goes next, if that is its own. */
  #takeJoiners(batch: StreamingBatch<I, O>, now: number): readonly BatchItem<I, O>[] {
    const { streaming, maxBatchCost = Infinity } = this.#options;
    // Parts of a failed batch wait for a lane, and are judged alone.
    if (streaming !== 'continuous' || batch.isolation !== undefined || this.#failed.size > 0) return [];
    const group = this.#queue.next(now);
    if (group === undefined || group.signature !== batch.signature) return [];
    const count = this.batchLimit - batch.size;
    const joined = this.#queue.take(group, { count, cost: maxBatchCost - batch.cost, mayBeEmpty: true }, now);
    for (const item of joined) this.#place(item, batch);
    return joined;
  }

  #stepEnded(lane: Lane<I, O>, step: EndedStep<I, O>): void {
    for (const item of step.ended) this.#runningUntil.delete(item);
    for (const item of step.overrun) this.#streams.endSlowReader(item);
    this.#observer.stepEnded?.(
      { ...step, trigger: 'step', endedAt: this.#clock.now(), error: undefined, streams: true },
      lane,
    );
  }

  #ended(lane: Lane<I, O>, batch: Batch<I, O>): void {
    const now = this.#clock.now();
    batch.endedAt = now;
    this.#lanes.ended(lane, now);
    let latencyMs = 0;
    let waitMs = 0;
    for (const item of batch.items) {
      this.#runningUntil.delete(item);
      latencyMs += now - item.arrival;
      waitMs = Math.max(waitMs, batch.startedAt - item.arrival);
    }
    this.#pace.observe(batch, now, waitMs);
    this.#options.window.completed?.({ now, lane: lane.id, size: batch.size, latencyMs });
    this.#observer.batchEnded?.(batch, lane);
    for (const item of this.#failed.judge(batch)) this.#waitingUntil.add(item);
    if (this.#failed.isBroken(batch)) this.#recycle(lane);
    this.#dispatchSoon();
    this.#devices.batchEnded(lane.device);
    this.#announceIfDrained();
  }

  /** Nothing can be smaller than what has just failed for want of memory: the worker itself is at its end. */
  #recycle(lane: Lane<I, O>): void {
    if (lane.recycle === undefined) return;
    this.#lanes.remove(lane);
    lane.recycle();
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
