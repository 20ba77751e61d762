import type { Clock, Timer } from '#batching';
import { describeExit, workerDied, type WorkerExit } from '../transport/worker-exit.js';
import type { LaneSink } from './lane-sink.js';
import { recycleReason, type RecycleLimits } from './recycle-reason.js';
import { restartDelayMs } from './restart-delay.js';
import type { WorkerLane, WorkerLaneEvents } from './worker-lane.js';

/** Why a worker was replaced. */
export type RestartReason = 'died' | 'hung' | 'exhausted' | 'recycled';

/** What a slot needs of its pool. */
export interface WorkerSlotHost {
  readonly clock: Clock;
  readonly log: WorkerLaneEvents['log'];
  readonly sink: LaneSink;
  readonly recycle: RecycleLimits;
  isStopping(): boolean;
  /** Whether so few workers hang that another may be started. */
  mayStart(): boolean;
  /** Whether no other slot replaces a worker that is well. */
  mayRecycle(): boolean;
  /** Starts a worker and settles when it can run batches; rejects when it never will. */
  startWorker(workerId: number): Promise<WorkerLane>;
  /** A worker hangs, and may go on doing so for ever. */
  lost(lane: WorkerLane): void;
  restarted(reason: RestartReason): void;
  /** Another slot may replace its worker now. */
  recycled(): void;
}

/** A worker that lived this long, or has answered a batch, has not failed at the start. */
const STABLE_AFTER_MS = 10_000;

/**
 * One place of a pool: it has a worker, or will get one. A worker that dies or hangs is replaced after a delay that
 * grows while replacements keep failing at the start; one that is merely due only when its successor is ready.
 */
export class WorkerSlot {
  readonly #host: WorkerSlotHost;
  #lane: WorkerLane | undefined;
  #servingSince = 0;
  /** Failures at the start in a row. */
  #failures = 0;
  #isStarting = false;
  #isRecycling = false;
  #isClosed = false;
  #restart: Timer | undefined;
  #due: Timer | undefined;
  #trouble: string | undefined;

  constructor(
    readonly workerId: number,
    host: WorkerSlotHost,
  ) {
    this.#host = host;
  }

  /** Why it has no worker. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Whether it replaces a worker that is well. */
  get isRecycling(): boolean {
    return this.#isRecycling;
  }

  /**
   * Gives it its first worker. Rejects when there is none to be had.
   *
   * @returns the largest batch that the worker gives right answers for
   */
  async open(): Promise<number> {
    const lane = await this.#host.startWorker(this.workerId);
    this.#take(lane);
    return lane.batchSizeLimit;
  }

  /** Starts no worker any more. */
  close(): void {
    this.#isClosed = true;
    this.#restart?.cancel();
    this.#due?.cancel();
  }

  /** Gives its place up: its worker ends the batch that it has, and then itself. */
  retire(): void {
    this.close();
    const lane = this.#lane;
    this.#lane = undefined;
    if (lane === undefined) return;
    this.#host.sink.retireLane(lane);
    void lane.stop();
  }

  exited(lane: WorkerLane, exit: WorkerExit): void {
    if (!this.#leave(lane)) return;
    this.#host.sink.removeLane(lane, workerDied(exit));
    this.#replaceLater(`worker ${this.workerId} died: ${describeExit(exit)}`, 'died');
  }

  /** The batcher has taken the lane out, and failed its batch. */
  hung(lane: WorkerLane): void {
    const wasServing = this.#leave(lane);
    this.#host.lost(lane);
    lane.quit();
    if (wasServing) this.#replaceLater(`worker ${this.workerId} hangs and is given up`, 'hung');
  }

  /** The batcher has taken the lane out. */
  exhausted(lane: WorkerLane): void {
    if (!this.#leave(lane)) return;
    void lane.stop();
    this.#replaceLater(`worker ${this.workerId} has no memory left`, 'exhausted');
  }

  /** Looks whether its worker is due, or whether one may be started that could not be before. */
  review(): void {
    if (this.#isOver || this.#isStarting || this.#restart !== undefined) return;
    if (this.#lane === undefined) {
      if (this.#trouble !== undefined && this.#host.mayStart()) void this.#start();
      return;
    }
    const { recycle, clock, log } = this.#host;
    const reason = recycleReason(this.#lane, clock.now() - this.#servingSince, recycle);
    if (reason === undefined || !this.#host.mayRecycle()) return;
    log('info', `worker ${this.workerId} is replaced: ${reason}`);
    this.#isRecycling = true;
    void this.#start();
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#host.isStopping();
  }

  /** Lets a worker that has started serve, unless it has come too late. */
  #take(lane: WorkerLane): void {
    // A pool that stops ends all of its workers.
    if (this.#host.isStopping()) return;
    if (this.#isClosed) void lane.stop();
    else this.#serve(lane);
  }

  /** Takes note that its worker serves no more. Returns false when the lane is not its own, or no longer. */
  #leave(lane: WorkerLane): boolean {
    if (lane !== this.#lane) return false;
    const ageMs = this.#host.clock.now() - this.#servingSince;
    this.#failures = lane.batchesRun > 0 || ageMs >= STABLE_AFTER_MS ? 1 : this.#failures + 1;
    this.#lane = undefined;
    this.#due?.cancel();
    return true;
  }

  #replaceLater(news: string, reason: RestartReason): void {
    if (this.#isOver) return;
    this.#host.restarted(reason);
    this.#startLater(news);
  }

  #startLater(news: string): void {
    const delay = restartDelayMs(this.#failures);
    this.#trouble = news;
    this.#host.log('error', `${news}; the next attempt is in ${delay} ms`);
    // A successor that is on its way already fills the place.
    if (this.#isStarting) return;
    this.#restart = this.#host.clock.setTimer(delay, () => {
      this.#restart = undefined;
      if (this.#host.mayStart()) void this.#start();
      else this.#host.log('error', `worker ${this.workerId} is not replaced: too many hang`);
    });
  }

  async #start(): Promise<void> {
    this.#isStarting = true;
    try {
      const lane = await this.#host.startWorker(this.workerId);
      this.#isStarting = false;
      this.#succeed(lane);
    } catch (error) {
      this.#isStarting = false;
      this.#failures++;
      if (!this.#isOver) this.#startLater(`worker ${this.workerId} could not be replaced: ${String(error)}`);
    }
    this.#endRecycling();
  }

  #succeed(lane: WorkerLane): void {
    const predecessor = this.#lane;
    this.#take(lane);
    if (this.#isOver || predecessor === undefined) return;
    this.#host.restarted('recycled');
    this.#host.sink.retireLane(predecessor);
    void predecessor.stop();
  }

  #serve(lane: WorkerLane): void {
    const { clock, sink, recycle } = this.#host;
    this.#lane = lane;
    this.#trouble = undefined;
    this.#servingSince = clock.now();
    this.#due?.cancel();
    if (recycle.recycleAgeMs !== undefined)
      this.#due = clock.setTimer(recycle.recycleAgeMs, () => this.review());
    sink.addLane(lane);
  }

  #endRecycling(): void {
    if (!this.#isRecycling) return;
    this.#isRecycling = false;
    this.#host.recycled();
  }
}
