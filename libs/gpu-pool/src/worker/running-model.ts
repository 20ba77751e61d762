import type { RunnableHandler } from '#batching';
import type { LogLevel } from '../protocol/worker-messages.js';

/** A model that can run batches. */
export interface RunningModel {
  readonly handler: RunnableHandler;
  /** Frees what the model holds. */
  close(): Promise<void>;
}

/** Takes a log line of the model's. */
export type ModelLog = (level: LogLevel, message: string, context?: string) => void;
