import type { CostBound } from '#batching';
import type { DtoClass } from '#model';
import type { Manifest, WorkerAssignment } from '../protocol/worker-messages.js';
import type { ModelLog, RunningModel } from './running-model.js';

/** A model whose code has been imported. */
export interface LoadedModel {
  readonly manifest: Manifest;
  /** The DTO class of its input, where it has one. */
  readonly inputClass: DtoClass | undefined;
  /** Inputs to try it with before it serves, as its handler gets them. */
  readonly warmup: readonly unknown[];
  /** The handler's own measure of its items, where that is a function. */
  readonly cost: CostBound['cost'] | undefined;
  start(assignment: WorkerAssignment, log: ModelLog): Promise<RunningModel>;
}
