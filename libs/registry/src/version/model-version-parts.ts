import type { Clock, DynamicBatcher } from '#batching';
import type { ModelBreaker } from '#circuit-breaker';
import type { InputValidator } from '#codec';
import type { Manifest } from '#gpu-pool';
import type { Measure, ModelOptions } from '#model';
import type { ModelMetrics } from '#telemetry';
import type { SignatureOf } from './signature.js';

/** What a model version is made of. */
export interface ModelVersionParts {
  readonly name: string;
  readonly version: string;
  readonly options: ModelOptions;
  readonly manifest: Manifest;
  readonly batcher: DynamicBatcher<unknown, unknown>;
  readonly validator: InputValidator;
  readonly breaker: ModelBreaker;
  readonly metrics: ModelMetrics;
  readonly signatureOf: SignatureOf;
  readonly costOf: Measure;
  readonly clock: Clock;
  /** Whether its handler runs on this thread. */
  readonly isInline: boolean;
  /** What keeps a worker from running, in words. */
  readonly trouble: () => string | undefined;
  /**
   * Changes the number of workers, where that can be done, and settles when all serve. Returns the largest batch that
   * new ones give right answers for; rejects when they cannot be had, and leaves all as it was.
   */
  readonly resize?: ((workers: number) => Promise<number>) | undefined;
  /** Shows its gauges in each scrape from now on. */
  readonly startReporting: () => void;
  /** Shows them no more. */
  readonly stopReporting: () => void;
  /** Ends the workers and gives back whatever else was taken for it. */
  readonly free: () => Promise<void>;
}
