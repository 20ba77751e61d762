import type { BatcherObserver, ObservedBatch } from '#batching';
import type { ModelBreaker } from '#circuit-breaker';
import type { ModelMetrics } from '#telemetry';
import type { Logger } from 'pino';

/** Passes on what the batcher does to the metrics, the breaker and the log. */
export class VersionObserver implements BatcherObserver {
  readonly #endings = new Map<ObservedBatch, { resolve: () => void; reject: (error: Error) => void }>();

  constructor(
    private readonly metrics: ModelMetrics,
    private readonly breaker: ModelBreaker,
    private readonly logger: Logger,
  ) {}

  batchStarted(batch: ObservedBatch): void {
    const ended = new Promise<void>((resolve, reject) => {
      this.#endings.set(batch, { resolve, reject });
    });
    this.breaker.watch(ended);
  }

  batchEnded(batch: ObservedBatch): void {
    this.metrics.batchEnded(batch);
    const ending = this.#endings.get(batch);
    this.#endings.delete(batch);
    if (batch.error === undefined) {
      ending?.resolve();
      return;
    }
    ending?.reject(batch.error);
    this.logger.error({ err: batch.error, code: batch.error.code, batchSize: batch.size }, 'a batch failed');
  }
}
