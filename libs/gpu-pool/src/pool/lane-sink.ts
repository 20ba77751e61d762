import type { Lane } from '#batching';
import type { ServingError } from '#model';

/** Takes lanes in and out; a `DynamicBatcher` is one. */
export interface LaneSink {
  addLane(lane: Lane<unknown, unknown>): void;
  /** Takes a lane out whose worker is gone: its batch fails with `error`. */
  removeLane(lane: Lane<unknown, unknown>, error: ServingError): void;
  /** Takes a lane out that still ends the batch that it has. */
  retireLane(lane: Lane<unknown, unknown>): void;
}
