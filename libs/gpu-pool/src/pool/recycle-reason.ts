/** When a worker that is well is replaced all the same. */
export interface RecycleLimits {
  /** After so many batches. */
  readonly recycleBatches?: number;
  /** At this age, in milliseconds. */
  readonly recycleAgeMs?: number;
  /** When its memory holds more, in bytes. */
  readonly recycleMemoryBytes?: number;
}

/** What is known of a worker. */
export interface WorkerUse {
  readonly batchesRun: number;
  readonly memoryBytes: number;
}

/** A model that needs more memory than it is given must not be started again with every batch, in milliseconds. */
const MEMORY_GRACE_MS = 10_000;

/** Why a worker is due to be replaced, in words; `undefined` when it is not. */
export function recycleReason(
  { batchesRun, memoryBytes }: WorkerUse,
  ageMs: number,
  limits: RecycleLimits,
): string | undefined {
  const { recycleBatches = Infinity, recycleAgeMs = Infinity, recycleMemoryBytes = Infinity } = limits;
  if (batchesRun >= recycleBatches) return `it has run ${batchesRun} batches`;
  if (ageMs >= recycleAgeMs) return `it is ${Math.round(ageMs / 1000)} s old`;
  if (memoryBytes > recycleMemoryBytes && ageMs >= MEMORY_GRACE_MS)
    return `its memory holds ${memoryBytes} bytes`;
  return undefined;
}
