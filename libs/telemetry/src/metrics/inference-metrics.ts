import { Injectable } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import type { Counter, Gauge, Histogram } from 'prom-client';
import * as names from './metric-providers.js';
import { ModelMetrics } from './model-metrics.js';

/** What a request for a model that does not exist is counted under: clients must not be able to make series. */
const UNKNOWN = 'unknown';

/** Hands out the metrics of each model version. */
@Injectable()
export class InferenceMetrics {
  readonly #models = new Map<string, ModelMetrics>();
  readonly #collectors = new Set<() => void>();

  constructor(
    @InjectMetric(names.REQUESTS_RECEIVED) private readonly received: Counter,
    @InjectMetric(names.REQUESTS_ENDED) private readonly ended: Counter,
    @InjectMetric(names.REQUESTS_IN_FLIGHT) private readonly inFlight: Gauge,
    @InjectMetric(names.BATCH_SIZE) private readonly batchSize: Histogram,
    @InjectMetric(names.BATCH_RUN) private readonly batchRun: Histogram,
    @InjectMetric(names.BATCHES) private readonly batches: Counter,
    @InjectMetric(names.BATCHES_FAILED) private readonly batchesFailed: Counter,
    @InjectMetric(names.QUEUE_WAIT) private readonly queueWait: Histogram,
    @InjectMetric(names.QUEUE_SIZE) private readonly queueSize: Gauge,
    @InjectMetric(names.LANES) private readonly lanes: Gauge,
    @InjectMetric(names.BREAKER_STATE) private readonly breaker: Gauge,
  ) {}

  /** The metrics of requests that name no model of the server's. */
  get unknown(): ModelMetrics {
    return this.forModel(UNKNOWN, UNKNOWN);
  }

  forModel(model: string, version: string): ModelMetrics {
    const key = `${model}/${version}`;
    let metrics = this.#models.get(key);
    if (metrics === undefined) {
      metrics = this.#create({ model, version });
      this.#models.set(key, metrics);
    }
    return metrics;
  }

  /** Removes the series of a model version that is gone. */
  forget(model: string, version: string): void {
    if (!this.#models.delete(`${model}/${version}`)) return;
    const gauges = [this.queueSize, this.lanes, this.breaker];
    for (const gauge of gauges) gauge.remove({ model, version });
  }

  /** Calls `report` before each scrape. Returns a function that ends this. */
  onScrape(report: () => void): () => void {
    this.#collectors.add(report);
    return () => this.#collectors.delete(report);
  }

  /** Brings the gauges that only a look at the moment can tell up to date. */
  collect(): void {
    for (const report of this.#collectors) report();
  }

  #create(labels: { model: string; version: string }): ModelMetrics {
    const ended = (outcome: string) => this.ended.labels({ ...labels, outcome });
    return new ModelMetrics({
      received: this.received.labels(labels),
      ended: {
        ok: ended('ok'),
        failed: ended('failed'),
        rejected: ended('rejected'),
        cancelled: ended('cancelled'),
        expired: ended('expired'),
      },
      inFlight: this.inFlight.labels(labels),
      batchSize: this.batchSize.labels(labels),
      batchRun: this.batchRun.labels(labels),
      queueWait: this.queueWait.labels(labels),
      queueSize: this.queueSize.labels(labels),
      lanes: this.lanes.labels(labels),
      breaker: this.breaker.labels(labels),
      started: (trigger) => this.batches.inc({ ...labels, trigger }),
      failed: (code) => this.batchesFailed.inc({ ...labels, code }),
    });
  }
}
