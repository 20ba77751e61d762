import type { Counter, Gauge, Histogram } from 'prom-client';
import type { RequestOutcome } from './request-outcome.js';

/** One model version's series. Their labels are resolved once, since that costs more than to count. */
export interface ModelSeries {
  readonly received: Counter.Internal;
  readonly ended: Readonly<Record<RequestOutcome, Counter.Internal>>;
  readonly bodiesRead: Counter.Internal;
  readonly bodiesParsed: Counter.Internal;
  readonly inFlight: Gauge.Internal<string>;
  readonly batchSize: Histogram.Internal<string>;
  readonly batchRun: Histogram.Internal<string>;
  readonly queueWait: Histogram.Internal<string>;
  readonly queueSize: Gauge.Internal<string>;
  readonly lanes: Gauge.Internal<string>;
  readonly hung: Gauge.Internal<string>;
  readonly breaker: Gauge.Internal<string>;
  refused(code: string): void;
  restarted(reason: string): void;
  started(trigger: string): void;
  failed(code: string): void;
}

/** What only a look at a model version's present state can tell. */
export interface ModelMoment {
  readonly queueSize: number;
  readonly lanes: number;
  /** Workers that were given up and have not ended. Default: none. */
  readonly hung?: number;
  readonly breaker: keyof typeof BREAKER_LEVELS;
}

const BREAKER_LEVELS = { closed: 0, 'half-open': 1, open: 2 };

/** A batch that has ended, as far as metrics want it. */
export interface MeasuredBatch {
  readonly size: number;
  readonly trigger: string;
  readonly items: readonly { readonly arrival: number }[];
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly error: { readonly code: string } | undefined;
}

/** Counts what happens to one model version. */
export class ModelMetrics {
  #series: ModelSeries | undefined;

  constructor(series: ModelSeries) {
    this.#series = series;
  }

  /** Counts nothing from now on: the series have been removed, and counting would bring them back. */
  detach(): void {
    this.#series = undefined;
  }

  requestReceived(): void {
    this.#series?.received.inc();
    this.#series?.inFlight.inc();
  }

  requestEnded(outcome: RequestOutcome): void {
    this.#series?.ended[outcome].inc();
    this.#series?.inFlight.dec();
  }

  /** A request never reached the model, for this reason. */
  requestRefused(code: string): void {
    this.#series?.refused(code);
  }

  bodyRead(): void {
    this.#series?.bodiesRead.inc();
  }

  bodyParsed(): void {
    this.#series?.bodiesParsed.inc();
  }

  batchEnded(batch: MeasuredBatch): void {
    if (this.#series === undefined) return;
    const { batchSize, batchRun, queueWait } = this.#series;
    this.#series.started(batch.trigger);
    batchSize.observe(batch.size);
    batchRun.observe((batch.endedAt! - batch.startedAt) / 1000);
    for (const { arrival } of batch.items) queueWait.observe((batch.startedAt - arrival) / 1000);
    if (batch.error !== undefined) this.#series.failed(batch.error.code);
  }

  /** A worker is replaced, or will be. */
  workerRestarted(reason: string): void {
    this.#series?.restarted(reason);
  }

  /** Reports what only a look at the moment can tell. */
  report({ queueSize, lanes, hung = 0, breaker }: ModelMoment): void {
    this.#series?.queueSize.set(queueSize);
    this.#series?.lanes.set(lanes);
    this.#series?.hung.set(hung);
    this.#series?.breaker.set(BREAKER_LEVELS[breaker]);
  }
}
