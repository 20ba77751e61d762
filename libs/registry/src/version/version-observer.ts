import type { BatcherObserver, ObservedBatch } from '#batching';
import type { BatchVerdict, BreakerTicket, ModelBreaker } from '#circuit-breaker';
import type { ServingError } from '#model';
import type { ModelMetrics } from '#telemetry';
import type { Logger } from 'pino';

/** Passes on what the batcher does to the metrics, the breaker and the log. */
export class VersionObserver implements BatcherObserver {
  /** Tickets of the batches that have started and are not judged, by batch. */
  readonly #tickets = new Map<number, BreakerTicket>();

  constructor(
    private readonly metrics: ModelMetrics,
    private readonly breaker: ModelBreaker,
    private readonly logger: Logger,
  ) {}

  batchStarted({ id, trigger }: ObservedBatch): void {
    // The parts of a failed batch are judged with it.
    if (trigger !== 'retry') this.#tickets.set(id, this.breaker.batchStarted());
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
    if (this.breaker.state === 'closed') return;
    // A stream may go on for ever: its first good step is what an open breaker's probe waits for. Where items join
    // a batch from before, the step that was their first is a probe of its own.
    const probe = step.items.length > 0 ? this.breaker.batchStarted() : undefined;
    for (const ticket of [this.#tickets.get(step.id), probe])
      if (ticket !== undefined) this.breaker.batchJudged(ticket, 'succeeded');
  }

  batchJudged(failure: ServingError | undefined, batchId: number): void {
    const ticket = this.#tickets.get(batchId);
    if (ticket === undefined) return;
    this.#tickets.delete(batchId);
    this.breaker.batchJudged(ticket, verdictOn(failure));
  }

  windowFailed(error: unknown): void {
    this.logger.error({ err: error }, 'the window policy failed; batches start without it');
  }
}

/** What the clients did is nothing against the model. */
function verdictOn(failure: ServingError | undefined): BatchVerdict {
  if (failure === undefined) return 'succeeded';
  return failure.status < 500 ? 'inconclusive' : 'failed';
}
