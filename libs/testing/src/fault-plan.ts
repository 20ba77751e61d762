import type { BatchContext } from '#model';
import type { Fault } from './fault.js';

/** Says which fault a batch commits, if any. It is asked once a batch, in the worker that runs it. */
export type FaultPlan = (context: BatchContext) => Fault | undefined;
