import type { BatcherObserver, ObservedBatch } from '#batching';
import type { ModelBreaker } from '#circuit-breaker';
import type { ServingError } from '#model';
import type { ModelMetrics } from '#telemetry';
import type { Logger } from 'pino';

/** Passes on what the batcher does to the metrics, the breaker and the log. */
export class VersionObserver implements BatcherObserver {
  constructor(
    private readonly metrics: ModelMetrics,
    private readonly breaker: ModelBreaker,
    private readonly logger: Logger,
  ) {}

  batchStarted(): void {
    this.breaker.batchStarted();
  }

  batchEnded(batch: ObservedBatch): void {
    this.metrics.batchEnded(batch);
    const { error, size } = batch;
    if (error !== undefined)
      this.logger.error({ err: error, code: error.code, batchSize: size }, 'a batch failed');
  }

  batchJudged(failure: ServingError | undefined): void {
    this.breaker.batchJudged(failure);
  }
}
