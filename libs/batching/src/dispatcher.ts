import { ServingError } from '#model';
import type { BatcherObserver } from './batcher-observer.js';
import type { BatcherOptions } from './batcher-options.js';
import type { Clock, Timer } from './clock/clock.js';
import type { DeviceArbiter, DeviceContender, DeviceNeed } from './device/device-arbiter.js';
import { planDispatch } from './dispatch-plan.js';
import { FailedBatches } from './isolation/failed-batches.js';
import type { Isolation } from './isolation/isolation.js';
import { Batch } from './lane/batch.js';
import type { Lane } from './lane/lane.js';
import { StreamingBatch, type EndedStep, type StreamingBatchEvents } from './lane/streaming-batch.js';
import { AdaptiveLimit, type LimitTarget } from './limit/adaptive-limit.js';
import { ArrivalQueue } from './queue/arrival-queue.js';
import type { BatchItem } from './queue/batch-item.js';
import { DeadlineWatch } from './queue/deadline-watch.js';
import type { SignatureGroup } from './queue/signature-group.js';
import { ServiceTimeEstimate } from './service-time/service-time-estimate.js';
import { RunningStreams } from './stream/running-streams.js';

const DEFAULT_STARVATION_MS = 5000;
/** Without a completion for this long, an estimate that refuses everything gets one chance to be corrected. */
const PROBE_AFTER_MS = 1000;

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
  readonly #serviceTime = new ServiceTimeEstimate();
  readonly #adaptiveLimit: AdaptiveLimit;
  readonly #lanes = new Set<Lane<I, O>>();
  /** Free lanes, each with the clock time since when; the one that has been free longest goes first. */
  readonly #free = new Map<Lane<I, O>, number>();
  readonly #running = new Map<Lane<I, O>, Batch<I, O>>();
  readonly #streams: RunningStreams<I, O>;
  #options: BatcherOptions;
  #lastCompletion = -Infinity;
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
    this.#adaptiveLimit = new AdaptiveLimit(limitTarget(options));
    this.#queue = new ArrivalQueue(options.starvationMs ?? DEFAULT_STARVATION_MS);
    this.#failed = new FailedBatches(observer);
    const expire = (item: BatchItem<I, O>) => this.withdraw(item, deadlineExceeded());
    this.#waitingUntil = new DeadlineWatch(clock, expire, () =>
      this.#free.size > 0 ? 0 : this.#serviceTime.safeMs(1),
    );
    this.#runningUntil = new DeadlineWatch(clock, expire);
    this.#streams = new RunningStreams(clock, {
      takeJoiners: (batch, now) => this.#takeJoiners(batch, now),
      isLaneWanted: () => this.#free.size === 0 && this.#queue.size + this.#failed.size > 0,
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
    for (const batch of this.#running.values()) size += batch.size;
    return size;
  }

  get laneCount(): number {
    return this.#lanes.size;
  }

  get batchLimit(): number {
    return Math.min(this.#adaptiveLimit.limit, this.#failed.memoryLimit);
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
    this.#lanes.add(lane);
    this.#devices.join(this);
    this.#free.set(lane, this.#clock.now());
    this.#dispatchSoon();
  }

  removeLane(lane: Lane<I, O>, error: ServingError): void {
    if (!this.#lanes.delete(lane)) return;
    if (this.#lanes.size === 0) this.#devices.leave(this);
    this.#free.delete(lane);
    this.#running.get(lane)?.fail(error);
  }

  configure(options: Partial<BatcherOptions>): void {
    this.#options = { ...this.#options, ...options };
    this.#adaptiveLimit.configure(limitTarget(this.#options));
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
    const running = [...this.#running.values()].flatMap(({ items }) => items);
    for (const item of [...this.#queue.clear(), ...this.#failed.clear(), ...running])
      this.withdraw(item, error);
  }

  get #isEmpty(): boolean {
    return this.#queue.size === 0 && this.#failed.size === 0 && this.#running.size === 0;
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
    const hasFreeLane = [...this.#free.keys()].some((lane) => lane.device === device);
    const now = this.#clock.now();
    const group = this.#queue.next(now);
    if (!hasFreeLane || group === undefined) return undefined;
    const serviceTimeMs = this.#serviceTime.safeMs(Math.min(group.size, this.batchLimit));
    const slackMs = group.mostUrgent!.deadline - now - serviceTimeMs;
    return { slackMs, serviceTimeMs, waiting: this.#queue.size };
  }

  dispatch(): void {
    this.#holdTimer?.cancel();
    this.#holdTimer = undefined;
    this.#fillLanes();
    this.#streams.review();
  }

  #fillLanes(): void {
    for (const [lane, freeSince] of this.#free) {
      if (!this.#devices.hasRoom(lane.device)) continue;
      const retry = this.#failed.next(this.#queue.size);
      const now = this.#clock.now();
      if (retry !== undefined) this.#start(lane, retry.items, retry.isolation, now);
      else if (!this.#startNext(lane, freeSince, now)) return;
    }
  }

  /** Starts what goes next on `lane`. Returns false when nothing does now. */
  #startNext(lane: Lane<I, O>, freeSince: number, now: number): boolean {
    for (;;) {
      let holdUntil = Infinity;
      const isOpen = (group: SignatureGroup<I, O>) => {
        const until = this.#holdUntil(group, lane, freeSince, now);
        holdUntil = Math.min(holdUntil, until);
        return until > now;
      };
      const group = this.#queue.next(now, isOpen);
      if (group === undefined) {
        if (holdUntil < Infinity)
          this.#holdTimer = this.#clock.setTimer(holdUntil - now, () => this.dispatch());
        return false;
      }
      const plan = planDispatch(group, {
        now,
        limit: this.batchLimit,
        lanes: this.#lanes.size,
        serviceTimeMs: this.#serviceTime.safeMs,
        mayProbe: this.#queue.size === 1 && now - this.#lastCompletion >= PROBE_AFTER_MS,
      });
      if (plan.action === 'drop') {
        this.withdraw(plan.item, deadlineExceeded());
        continue;
      }
      const bounds = { count: this.#preferred(plan.size), cost: this.#options.maxBatchCost ?? Infinity };
      this.#start(lane, this.#queue.take(group, bounds, now), undefined, now);
      return true;
    }
  }

  /** Clock time until which a batch of `group` stays open. */
  #holdUntil(group: SignatureGroup<I, O>, lane: Lane<I, O>, freeSince: number, now: number): number {
    const limit = this.batchLimit;
    if (group.size >= limit || !this.#holds) return now;
    const { window, maxWaitMs } = this.#options;
    const wanted = window.dispatchAt({
      now,
      waiting: group.size,
      limit,
      oldestArrival: group.oldestArrival,
      freeSince,
      lane: lane.id,
      lanes: this.#lanes.size,
      maxWaitMs,
      serviceTimeMs: this.#serviceTime.expectedMs,
    });
    // No hold outlasts the slack of the tightest deadline.
    return Math.min(wanted, group.mostUrgent!.deadline - this.#serviceTime.safeMs(group.size));
  }

  #preferred(size: number): number {
    if (size >= this.batchLimit) return size;
    return this.#options.preferredBatchSizes?.findLast((preferred) => preferred <= size) ?? size;
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
    this.#free.delete(lane);
    this.#running.set(lane, batch);
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
    this.#lastCompletion = now;
    this.#running.delete(lane);
    let latencyMs = 0;
    let waitMs = 0;
    for (const item of batch.items) {
      this.#runningUntil.delete(item);
      latencyMs += now - item.arrival;
      waitMs = Math.max(waitMs, batch.startedAt - item.arrival);
    }
    if (this.#lanes.has(lane)) this.#free.set(lane, now);
    if (batch.error === undefined && !batch.streams) this.#learn(batch, now - batch.startedAt, waitMs);
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
    this.#lanes.delete(lane);
    this.#free.delete(lane);
    lane.recycle();
  }

  #learn({ size, isolation }: Batch<I, O>, runMs: number, waitMs: number): void {
    this.#serviceTime.observe(size, runMs);
    // A part of a failed batch had to wait for the rest of it, which no limit could have helped.
    if (isolation !== undefined) return;
    this.#adaptiveLimit.observe({ size, runMs, waitMs, serviceTimeMs: this.#serviceTime.expectedMs });
  }

  #announceIfDrained(): void {
    if (!this.#isEmpty || this.#onDrained.length === 0) return;
    const listeners = this.#onDrained;
    this.#onDrained = [];
    for (const listener of listeners) listener();
  }
}

function limitTarget({ maxBatchSize, targetLatencyMs = Infinity }: BatcherOptions): LimitTarget {
  return { maximum: maxBatchSize, targetLatencyMs };
}

function deadlineExceeded(): ServingError {
  return new ServingError(
    'deadline_exceeded',
    'the deadline passed, or would have before the answer was there',
  );
}
