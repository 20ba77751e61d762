import type { BatcherObserver } from '../batcher-observer.js';
import type { BatcherOptions } from '../batcher-options.js';
import type { Clock } from '../clock/clock.js';
import type { Isolation } from '../isolation/isolation.js';
import type { BatchItem } from '../queue/batch-item.js';
import { DeadlineWatch } from '../queue/deadline-watch.js';
import { RunningStreams, type StreamHost } from '../stream/running-streams.js';
import { Batch } from './batch.js';
import { LaneTable } from './lane-table.js';
import type { Lane } from './lane.js';
import { RunWatch } from './run-watch.js';
import { StreamingBatch, type EndedStep, type StreamingBatchEvents } from './streaming-batch.js';

/** What running batches ask of the dispatcher. */
export interface RunningBatchesHost<I, O> extends StreamHost<I, O> {
  /** The settings that hold now. */
  getOptions(): BatcherOptions;
  /** Time that a batch may run before its lane counts as hung, in milliseconds. */
  runLimitMs(lane: Lane<I, O>, batch: Batch<I, O>): number;
  /** A batch, or a step of it, has run longer than that. */
  overran(lane: Lane<I, O>, batch: Batch<I, O>): void;
  /** An item that runs can no longer be on time. */
  expire(item: BatchItem<I, O>): void;
  /** An item has left the queue for a batch. */
  placed(item: BatchItem<I, O>): void;
  /** A batch stands between two steps, or its readers have room again. */
  stirred(): void;
  /** A batch has ended; its lane is free, if it is still alive. */
  ended(lane: Lane<I, O>, batch: Batch<I, O>): void;
}

/** The batches in flight: starts them on lanes, leads those that stream, and notes how each ended. */
export class RunningBatches<I, O> {
  readonly lanes = new LaneTable<I, O>();
  readonly #clock: Clock;
  readonly #observer: BatcherObserver;
  readonly #host: RunningBatchesHost<I, O>;
  readonly #deadlines: DeadlineWatch<I, O>;
  readonly #streams: RunningStreams<I, O>;
  readonly #watch: RunWatch<I, O>;
  #nextId = 0;

  constructor(clock: Clock, observer: BatcherObserver, host: RunningBatchesHost<I, O>) {
    this.#clock = clock;
    this.#observer = observer;
    this.#host = host;
    this.#deadlines = new DeadlineWatch(clock, (item) => host.expire(item));
    this.#watch = new RunWatch(clock);
    this.#streams = new RunningStreams(clock, {
      takeJoiners: (batch, now) => this.#takeJoiners(batch, now),
      isLaneWanted: () => host.isLaneWanted(),
      withdraw: (item, error) => host.withdraw(item, error),
    });
  }

  /** Items in batches that run. */
  get size(): number {
    let size = 0;
    for (const batch of this.lanes.batches) size += batch.size;
    return size;
  }

  /**
   * Starts a batch on a free lane.
   *
   * @param limit most items that a batch may hold now
   * @param isolation set for a part of a failed batch
   */
  start(
    lane: Lane<I, O>,
    items: readonly BatchItem<I, O>[],
    limit: number,
    isolation: Isolation | undefined,
  ): void {
    const now = this.#clock.now();
    const batch = this.#create(lane, items, now, isolation);
    if (isolation !== undefined) batch.trigger = 'retry';
    else if (items.length >= limit) batch.trigger = 'full';
    for (const item of items) this.#place(item, batch);
    this.lanes.started(lane, batch);
    this.#host.getOptions().window.started?.({ now, lane: lane.id, size: batch.size });
    this.#observer.batchStarted?.(batch, lane);
    this.#watchRun(lane, batch);
    lane.start(batch);
  }

  /** Forgets an item that ends before its batch does. */
  forget(item: BatchItem<I, O>): void {
    this.#deadlines.delete(item);
  }

  /** Lets nobody join the batch on `lane` any more. */
  closeToJoiners(lane: Lane<I, O>): void {
    const batch = this.lanes.batchOn(lane);
    if (batch instanceof StreamingBatch) batch.mayBeJoined = false;
  }

  /** Looks again at the streaming batches that stand still. */
  review(): void {
    this.#streams.review();
  }

  #create(
    lane: Lane<I, O>,
    items: readonly BatchItem<I, O>[],
    now: number,
    isolation: Isolation | undefined,
  ): Batch<I, O> {
    const id = this.#nextId++;
    if (this.#host.getOptions().streaming === undefined) {
      return new Batch(id, items, now, isolation, (ended) => this.#ended(lane, ended));
    }
    const events: StreamingBatchEvents<I, O> = {
      ended: (batch) => {
        this.#streams.forget(batch);
        this.#ended(lane, batch);
      },
      resumed: (batch) => this.#watchRun(lane, batch),
      stepped: (batch, step) => {
        this.#watch.forget(batch);
        this.#stepEnded(lane, batch.id, step);
      },
      stood: (batch) => this.#streams.goOn(batch),
      stirred: () => this.#host.stirred(),
    };
    return new StreamingBatch(id, items, now, isolation, events);
  }

  #watchRun(lane: Lane<I, O>, batch: Batch<I, O>): void {
    this.#watch.watch(batch, this.#host.runLimitMs(lane, batch), () => this.#host.overran(lane, batch));
  }

  #place(item: BatchItem<I, O>, batch: Batch<I, O>): void {
    item.state = 'running';
    item.onDeparted = () => batch.depart(item);
    this.#host.placed(item);
    this.#deadlines.add(item);
  }

  #takeJoiners(batch: StreamingBatch<I, O>, now: number): readonly BatchItem<I, O>[] {
    if (!batch.mayBeJoined) return [];
    const joined = this.#host.takeJoiners(batch, now);
    for (const item of joined) this.#place(item, batch);
    return joined;
  }

  #stepEnded(lane: Lane<I, O>, id: number, step: EndedStep<I, O>): void {
    for (const item of step.ended) this.#deadlines.delete(item);
    for (const item of step.overrun) this.#streams.endSlowReader(item);
    this.#observer.stepEnded?.(
      { ...step, id, trigger: 'step', endedAt: this.#clock.now(), error: undefined, streams: true },
      lane,
    );
  }

  #ended(lane: Lane<I, O>, batch: Batch<I, O>): void {
    const now = this.#clock.now();
    batch.endedAt = now;
    this.#watch.forget(batch);
    this.lanes.ended(lane, now);
    let latencyMs = 0;
    for (const item of batch.items) {
      this.#deadlines.delete(item);
      latencyMs += now - item.arrival;
    }
    this.#host.getOptions().window.completed?.({ now, lane: lane.id, size: batch.size, latencyMs });
    this.#observer.batchEnded?.(batch, lane);
    this.#host.ended(lane, batch);
  }
}
