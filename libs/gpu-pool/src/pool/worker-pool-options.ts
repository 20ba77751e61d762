import type { Clock } from '#batching';
import type { SelfCheck, WorkerIsolation } from '#model';
import type { DeviceInventory } from '../device/device-inventory.js';
import type { WorkerTransportFactory } from '../transport/worker-transport.js';
import type { RecycleLimits } from './recycle-reason.js';
import type { WorkerLaneEvents } from './worker-lane.js';
import type { RestartReason } from './worker-slot.js';

/** Where the workers of a model run. */
export interface WorkerPlacement {
  readonly devices?: readonly string[];
  /** Default: threads. */
  readonly isolation?: WorkerIsolation;
}

/** How the workers of one model version are to be run. */
export interface WorkerPoolOptions extends WorkerPlacement, RecycleLimits {
  readonly name: string;
  readonly version: string;
  readonly workers: number;
  readonly loadTimeoutMs: number;
  readonly maxBatchCost?: number;
  readonly maxBatchSize: number;
  readonly selfCheck: SelfCheck;
}

/** What a pool needs from around it. */
export interface WorkerPoolEnvironment {
  readonly clock: Clock;
  readonly devices: DeviceInventory;
  readonly createTransport: WorkerTransportFactory;
  readonly log: WorkerLaneEvents['log'];
  /** A worker is replaced, or will be. */
  readonly restarted?: (reason: RestartReason) => void;
}
