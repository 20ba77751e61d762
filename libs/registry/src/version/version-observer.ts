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
    const { error, size, trigger, startedAt, endedAt, streams = false } = batch;
    // Of a streaming batch the steps have been counted.
    if (!streams) this.metrics.batchEnded(batch);
    if (error === undefined) return;
    if (streams) this.metrics.batchEnded({ size, trigger, startedAt, endedAt, error, items: [] });
    this.logger.error({ err: error, code: error.code, batchSize: size }, 'a batch failed');
  }

  stepEnded(step: ObservedBatch): void {
    this.metrics.batchEnded(step);
    // A stream may go on for ever: its first good step is what an open breaker's probe waits for.
    if (this.breaker.state !== 'closed') this.breaker.batchJudged(undefined);
  }

  batchJudged(failure: ServingError | undefined): void {
    this.breaker.batchJudged(failure);
  }
}
