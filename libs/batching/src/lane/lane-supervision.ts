import { ServingError } from '#model';
import type { BatchPace } from '../batch-pace.js';
import type { BatcherOptions } from '../batcher-options.js';
import type { DeviceArbiter, DeviceContender } from '../device/device-arbiter.js';
import type { Batch } from './batch.js';
import type { LaneTable } from './lane-table.js';
import type { Lane } from './lane.js';

/** What a supervision knows. */
export interface LaneSupervisionSources<I, O> {
  readonly lanes: LaneTable<I, O>;
  readonly pace: BatchPace;
  readonly devices: DeviceArbiter;
  readonly getOptions: () => BatcherOptions;
}

/** Which lanes take part: those that come and go, that hang, or whose worker is at its end. */
export class LaneSupervision<I, O> {
  readonly #sources: LaneSupervisionSources<I, O>;
  /** Starts batches on the devices of the lanes. */
  readonly #contender: DeviceContender;

  constructor(sources: LaneSupervisionSources<I, O>, contender: DeviceContender) {
    this.#sources = sources;
    this.#contender = contender;
  }

  add(lane: Lane<I, O>, now: number): void {
    this.#sources.lanes.add(lane, now);
    this.#sources.devices.join(this.#contender);
  }

  /** Takes a lane out that may still end its batch. Returns false when it was not in. */
  takeOut(lane: Lane<I, O>): boolean {
    const { lanes, devices } = this.#sources;
    if (!lanes.remove(lane)) return false;
    if (lanes.size === 0) devices.leave(this.#contender);
    return true;
  }

  /** Nothing can be smaller than what has just failed for want of memory: the worker itself is at its end. */
  recycle(lane: Lane<I, O>): void {
    if (lane.recycle === undefined) return;
    this.takeOut(lane);
    lane.recycle();
  }

  /** A batch, or a step of it, has run longer than {@link runLimitMs} says. */
  overran(lane: Lane<I, O>, batch: Batch<I, O>): void {
    // First, so that it gets no other batch when this one has ended.
    if (lane.giveUp !== undefined) this.takeOut(lane);
    batch.fail(new ServingError('run_timeout', 'the model ran longer than it ever should'));
    lane.giveUp?.();
  }

  /** Time that a batch may run before its lane counts as hung, in milliseconds. */
  runLimitMs({ device }: Lane<I, O>, { size, streams }: Batch<I, O>): number {
    const { runTimeoutMs, timeoutMs } = this.#sources.getOptions();
    if (runTimeoutMs !== undefined) return runTimeoutMs;
    return streams ? Infinity : this.#sources.pace.hungAfterMs(device, size, timeoutMs);
  }
}
