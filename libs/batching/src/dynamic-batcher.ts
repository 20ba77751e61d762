import { ServingError } from '#model';
import type { BatcherObserver } from './batcher-observer.js';
import type { BatcherOptions, SubmitOptions } from './batcher-options.js';
import type { Clock, Timer } from './clock/clock.js';
import { Batch } from './lane/batch.js';
import type { Lane } from './lane/lane.js';
import { ArrivalQueue } from './queue/arrival-queue.js';
import { BatchItem } from './queue/batch-item.js';
import { DeadlineWatch } from './queue/deadline-watch.js';
import { ServiceTimeModel } from './service-time/service-time-model.js';

const NO_PARAMETERS: Readonly<Record<string, unknown>> = Object.freeze({});

/**
 * Groups single items into batches and gives each caller its own result.
 *
 * Items wait in one queue, from which free lanes pull: a lane that stalls strands at most the batch it holds.
 * A batch stays open until a lane really takes it. Each item ends exactly once: with its result, an error,
 * its deadline, or its withdrawal.
 *
 * @typeParam I one item's input
 * @typeParam O one item's result
 */
export class DynamicBatcher<I, O> {
  readonly #clock: Clock;
  readonly #queue = new ArrivalQueue<I, O>();
  readonly #deadlines: DeadlineWatch<I, O>;
  readonly #observer: BatcherObserver;
  readonly #serviceTime = new ServiceTimeModel();
  readonly #lanes = new Set<Lane<I, O>>();
  /** Free lanes, each with the clock time since when; the one that has been free longest goes first. */
  readonly #free = new Map<Lane<I, O>, number>();
  readonly #running = new Map<Lane<I, O>, Batch<I, O>>();
  #options: BatcherOptions;
  #holdTimer: Timer | undefined;
  #dispatchPending = false;
  #closed: ServingError | undefined;
  #drained: (() => void)[] = [];
  #batches = 0;

  constructor(options: BatcherOptions, clock: Clock, observer: BatcherObserver = {}) {
    this.#options = options;
    this.#clock = clock;
    this.#observer = observer;
    this.#deadlines = new DeadlineWatch(clock, (item) => this.#expire(item));
  }

  get options(): BatcherOptions {
    return this.#options;
  }

  /** Items that wait. */
  get queueSize(): number {
    return this.#queue.size;
  }

  /** Items in batches that run. */
  get runningSize(): number {
    let size = 0;
    for (const batch of this.#running.values()) size += batch.size;
    return size;
  }

  /** Lanes that are alive, free or busy. */
  get laneCount(): number {
    return this.#lanes.size;
  }

  /**
   * Throws the error with which an item must be refused now, or returns.
   *
   * @throws {ServingError} the reason given to {@link close}, `no_worker`, or `queue_full`
   */
  assertAdmits(): void {
    if (this.#closed !== undefined) throw this.#closed;
    if (this.#lanes.size === 0) {
      throw new ServingError('no_worker', 'no worker of this model is alive', { retryAfterSeconds: 1 });
    }
    const { maxQueueSize } = this.#options;
    if (this.#queue.size >= maxQueueSize) {
      throw new ServingError('queue_full', `${maxQueueSize} requests are waiting already`, {
        retryAfterSeconds: 1,
      });
    }
  }

  /**
   * Queues one item.
   *
   * @returns the item's own result
   * @throws {ServingError} as {@link assertAdmits}, `cancelled`, `deadline_exceeded`, `handler_failed`,
   *   `contract_violation`, or what the handler put into the item's slot
   */
  submit(value: I, options: SubmitOptions = {}): Promise<O> {
    return new Promise<O>((resolve, reject) => {
      this.assertAdmits();
      if (options.signal?.aborted === true) throw cancelled();
      const arrival = this.#clock.now();
      const item = new BatchItem<I, O>({
        value,
        requestId: options.requestId ?? '',
        parameters: options.parameters ?? NO_PARAMETERS,
        arrival,
        deadline: arrival + Math.min(options.timeoutMs ?? Infinity, this.#options.timeoutMs),
        signature: options.signature ?? '',
        resolve,
        reject,
      });
      this.#followSignal(item, options.signal);
      this.#queue.add(item);
      this.#deadlines.add(item);
      this.#options.window.arrived?.(arrival);
      this.#dispatchSoon();
    });
  }

  /** Adds a lane, which is free from now on. */
  addLane(lane: Lane<I, O>): void {
    this.#lanes.add(lane);
    this.#free.set(lane, this.#clock.now());
    this.#dispatchSoon();
  }

  /**
   * Takes a lane out. What waits goes on waiting for the others; the batch in flight, if any, fails with
   * `error`.
   */
  removeLane(lane: Lane<I, O>, error: ServingError): void {
    if (!this.#lanes.delete(lane)) return;
    this.#free.delete(lane);
    this.#running.get(lane)?.fail(error);
  }

  /** Changes settings. They hold for what is decided from now on. */
  configure(options: Partial<BatcherOptions>): void {
    this.#options = { ...this.#options, ...options };
    this.#dispatchSoon();
  }

  /** Refuses new items with `reason` from now on. What was admitted goes on. */
  close(reason: ServingError): void {
    this.#closed ??= reason;
  }

  /** Settles when nothing waits and nothing runs. */
  drained(): Promise<void> {
    if (this.#isEmpty) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained.push(resolve);
    });
  }

  /** Ends everything that still waits or runs with `error`. */
  abandon(error: ServingError): void {
    for (const item of this.#queue.clear()) item.reject(error);
    for (const batch of this.#running.values()) batch.fail(error);
    this.#announceIfDrained();
  }

  get #isEmpty(): boolean {
    return this.#queue.size === 0 && this.#running.size === 0;
  }

  #dispatchSoon(): void {
    if (this.#dispatchPending) return;
    this.#dispatchPending = true;
    // Requests that were read in one turn of the event loop should leave in one batch.
    this.#clock.afterArrivals(() => {
      this.#dispatchPending = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    this.#holdTimer?.cancel();
    this.#holdTimer = undefined;
    for (const [lane, freeSince] of this.#free) {
      const group = this.#queue.next();
      if (group === undefined) return;
      const limit = this.#options.maxBatchSize;
      if (group.size < limit) {
        const now = this.#clock.now();
        const dispatchAt = Math.min(
          this.#options.window.dispatchAt({
            now,
            waiting: group.size,
            limit,
            oldestArrival: group.oldest!.arrival,
            freeSince,
            lane: lane.id,
            maxWaitMs: this.#options.maxWaitMs,
            serviceTimeMs: (size) => this.#serviceTime.predict(size),
          }),
          group.head!.deadline,
        );
        if (dispatchAt > now) {
          this.#holdTimer = this.#clock.setTimer(dispatchAt - now, () => this.#dispatch());
          return;
        }
      }
      this.#start(lane, this.#queue.take(group, limit));
    }
  }

  #start(lane: Lane<I, O>, items: BatchItem<I, O>[]): void {
    const batch = new Batch(this.#batches++, items, this.#clock.now(), (ended) => this.#ended(lane, ended));
    for (const item of items) {
      item.state = 'running';
      item.onDeparted = () => batch.depart(item);
    }
    this.#free.delete(lane);
    this.#running.set(lane, batch);
    this.#observer.batchStarted?.(batch, lane);
    lane.start(batch);
  }

  #ended(lane: Lane<I, O>, batch: Batch<I, O>): void {
    batch.endedAt = this.#clock.now();
    this.#running.delete(lane);
    if (this.#lanes.has(lane)) this.#free.set(lane, batch.endedAt);
    if (batch.error === undefined) this.#serviceTime.observe(batch.size, batch.endedAt - batch.startedAt);
    this.#options.window.completed?.({ now: batch.endedAt, lane: lane.id, size: batch.size });
    this.#observer.batchEnded?.(batch, lane);
    this.#dispatchSoon();
    this.#announceIfDrained();
  }

  #expire(item: BatchItem<I, O>): void {
    this.#withdraw(
      item,
      new ServingError('deadline_exceeded', 'the deadline passed before the answer was there'),
    );
  }

  /** Ends an item before its batch does: its place in the queue is free at once. */
  #withdraw(item: BatchItem<I, O>, error: ServingError): void {
    if (item.settled) return;
    this.#queue.delete(item);
    item.reject(error);
    item.onDeparted?.();
    this.#announceIfDrained();
  }

  #followSignal(item: BatchItem<I, O>, signal: AbortSignal | undefined): void {
    const onAbort = () => this.#withdraw(item, cancelled());
    signal?.addEventListener('abort', onAbort, { once: true });
    item.onSettled = () => {
      this.#deadlines.delete(item);
      signal?.removeEventListener('abort', onAbort);
    };
  }

  #announceIfDrained(): void {
    if (!this.#isEmpty || this.#drained.length === 0) return;
    const listeners = this.#drained;
    this.#drained = [];
    for (const listener of listeners) listener();
  }
}

function cancelled(): ServingError {
  return new ServingError('cancelled', 'the caller withdrew the request');
}
