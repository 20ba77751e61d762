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
import { ArrivalQueue } from './queue/arrival-queue.js';
import type { BatchItem } from './queue/batch-item.js';
import { DeadlineWatch } from './queue/deadline-watch.js';
import type { SignatureGroup } from './queue/signature-group.js';
import { ServiceTimeModel } from './service-time/service-time-model.js';

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
  readonly #serviceTime = new ServiceTimeModel();
  readonly #lanes = new Set<Lane<I, O>>();
  /** Free lanes, each with the clock time since when; the one that has been free longest goes first. */
  readonly #free = new Map<Lane<I, O>, number>();
  readonly #running = new Map<Lane<I, O>, Batch<I, O>>();
  #options: BatcherOptions;
  #lastCompletion = -Infinity;
  #holdTimer: Timer | undefined;
  #dispatchPending = false;
  #onDrained: (() => void)[] = [];
  #nextBatchId = 0;

  constructor(options: BatcherOptions, clock: Clock, observer: BatcherObserver, devices: DeviceArbiter) {
    this.#options = options;
    this.#clock = clock;
    this.#observer = observer;
    this.#devices = devices;
    this.#queue = new ArrivalQueue(options.starvationMs ?? DEFAULT_STARVATION_MS);
    this.#failed = new FailedBatches(observer);
    const expire = (item: BatchItem<I, O>) => this.withdraw(item, deadlineExceeded());
    this.#waitingUntil = new DeadlineWatch(clock, expire, () =>
      this.#free.size > 0 ? 0 : this.#safeTime(1),
    );
    this.#runningUntil = new DeadlineWatch(clock, expire);
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
    return Math.min(this.#options.maxBatchSize, this.#failed.memoryLimit);
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
    const serviceTimeMs = this.#safeTime(Math.min(group.size, this.batchLimit));
    const slackMs = group.mostUrgent!.deadline - now - serviceTimeMs;
    return { slackMs, serviceTimeMs, waiting: this.#queue.size };
  }

  dispatch(): void {
    this.#holdTimer?.cancel();
    this.#holdTimer = undefined;
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
    for (let group = this.#queue.next(now); group !== undefined; group = this.#queue.next(now)) {
      const holdUntil = this.#holdUntil(group, lane, freeSince, now);
      if (holdUntil > now) {
        this.#holdTimer = this.#clock.setTimer(holdUntil - now, () => this.dispatch());
        return false;
      }
      const plan = planDispatch(group, {
        now,
        limit: this.batchLimit,
        lanes: this.#lanes.size,
        serviceTimeMs: (size) => this.#safeTime(size),
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
    return false;
  }

  /** Clock time until which a batch of `group` stays open. */
  #holdUntil(group: SignatureGroup<I, O>, lane: Lane<I, O>, freeSince: number, now: number): number {
    const limit = this.batchLimit;
    if (group.size >= limit) return now;
    const { window, maxWaitMs } = this.#options;
    const wanted = window.dispatchAt({
      now,
      waiting: group.size,
      limit,
      oldestArrival: group.oldestArrival,
      freeSince,
      lane: lane.id,
      maxWaitMs,
      serviceTimeMs: (size) => this.#serviceTime.predict(size),
    });
    // No hold outlasts the slack of the tightest deadline.
    return Math.min(wanted, group.mostUrgent!.deadline - this.#safeTime(group.size));
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
    const batch = new Batch(this.#nextBatchId++, items, now, isolation, (ended) => this.#ended(lane, ended));
    for (const item of items) {
      item.state = 'running';
      item.onDeparted = () => batch.depart(item);
      this.#waitingUntil.delete(item);
      this.#runningUntil.add(item);
    }
    this.#free.delete(lane);
    this.#running.set(lane, batch);
    this.#devices.batchStarted(lane.device);
    this.#observer.batchStarted?.(batch, lane);
    lane.start(batch);
  }

  #ended(lane: Lane<I, O>, batch: Batch<I, O>): void {
    const now = this.#clock.now();
    batch.endedAt = now;
    this.#lastCompletion = now;
    this.#running.delete(lane);
    for (const item of batch.items) this.#runningUntil.delete(item);
    if (this.#lanes.has(lane)) this.#free.set(lane, now);
    if (batch.error === undefined) this.#serviceTime.observe(batch.size, now - batch.startedAt);
    this.#options.window.completed?.({ now, lane: lane.id, size: batch.size });
    this.#observer.batchEnded?.(batch, lane);
    for (const item of this.#failed.judge(batch)) this.#waitingUntil.add(item);
    this.#dispatchSoon();
    this.#devices.batchEnded(lane.device);
    this.#announceIfDrained();
  }

  /** A time within which a batch of `size` items ends almost surely; 0 while nothing is known. */
  #safeTime(size: number): number {
    return 1.1 * this.#serviceTime.predict(size);
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
