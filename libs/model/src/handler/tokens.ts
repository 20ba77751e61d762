/** Injects the device that this worker's model should run on: `cpu`, `cuda:0`, … */
export const DEVICE = Symbol.for('smartbatch.device');

/** Injects the number of this worker among the workers of its model version, from 0. */
export const WORKER_ID = Symbol.for('smartbatch.worker-id');

/** Injects {@link ModelInfo}. */
export const MODEL_INFO = Symbol.for('smartbatch.model-info');

/** What a worker knows of the model that it serves. */
export interface ModelInfo {
  readonly name: string;
  readonly version: string;
  /** CPU threads that this worker may use for one inference: the machine's cores ÷ its workers, at least 1. */
  readonly intraOpThreads: number;
}
