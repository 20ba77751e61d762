import { Injectable } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import type { Counter, Gauge, Histogram } from 'prom-client';
import * as names from './metric-providers.js';
import { ModelMetrics } from './model-metrics.js';
import { removeSeries } from './remove-series.js';

/** What a request for a model that does not exist is counted under: clients must not be able to make series. */
const UNKNOWN = 'unknown';

/** Model versions that are gone and whose series still wait for their last scrape, at most. */
const MOST_RETIRED = 100;

interface MetricsEntry {
  readonly model: string;
  readonly version: string;
  readonly metrics: ModelMetrics;
  /** How many use them: a version and the one that replaces it share a label. */
  users: number;
}

/** Hands out the metrics of each model version. */
@Injectable()
export class InferenceMetrics {
  readonly #models = new Map<string, MetricsEntry>();
  /** Nobody uses these any more, the longest unused first. Each is shown in one more scrape. */
  readonly #retired = new Set<MetricsEntry>();
  #unknown: ModelMetrics | undefined;
  readonly #collectors = new Set<() => void>();

  constructor(
    @InjectMetric(names.REQUESTS_RECEIVED) private readonly received: Counter,
    @InjectMetric(names.REQUESTS_ENDED) private readonly ended: Counter,
    @InjectMetric(names.REQUESTS_REFUSED) private readonly refused: Counter,
    @InjectMetric(names.BODIES_READ) private readonly bodiesRead: Counter,
    @InjectMetric(names.BODIES_PARSED) private readonly bodiesParsed: Counter,
    @InjectMetric(names.REQUESTS_IN_FLIGHT) private readonly inFlight: Gauge,
    @InjectMetric(names.BATCH_SIZE) private readonly batchSize: Histogram,
    @InjectMetric(names.BATCH_RUN) private readonly batchRun: Histogram,
    @InjectMetric(names.BATCHES) private readonly batches: Counter,
    @InjectMetric(names.BATCHES_FAILED) private readonly batchesFailed: Counter,
    @InjectMetric(names.QUEUE_WAIT) private readonly queueWait: Histogram,
    @InjectMetric(names.QUEUE_SIZE) private readonly queueSize: Gauge,
    @InjectMetric(names.LANES) private readonly lanes: Gauge,
    @InjectMetric(names.WORKERS_HUNG) private readonly hung: Gauge,
    @InjectMetric(names.WORKER_RESTARTS) private readonly restarts: Counter,
    @InjectMetric(names.BREAKER_STATE) private readonly breaker: Gauge,
  ) {}

  /** The metrics of requests that name no model of the server's. */
  get unknown(): ModelMetrics {
    this.#unknown ??= this.forModel(UNKNOWN, UNKNOWN);
    return this.#unknown;
  }

  /** The metrics of a model version. Whoever asks for them says {@link release} when it is gone. */
  forModel(model: string, version: string): ModelMetrics {
    const key = `${model}/${version}`;
    let entry = this.#models.get(key);
    if (entry === undefined) {
      entry = { model, version, metrics: this.#create({ model, version }), users: 0 };
      this.#models.set(key, entry);
    }
    entry.users++;
    this.#retired.delete(entry);
    return entry.metrics;
  }

  /**
   * Gives the metrics of a model version back. When nobody uses them any more, their series are shown in one more
   * scrape, so that what was counted last is not lost, and are removed then; a version of the same name that
   * comes back before goes on with them.
   */
  async release(model: string, version: string): Promise<void> {
    const entry = this.#models.get(`${model}/${version}`);
    if (entry === undefined || entry.users === 0 || --entry.users > 0) return;
    this.#retired.add(entry);
    const [oldest] = this.#retired;
    // Where nobody scrapes, models that come and go must not pile up.
    if (this.#retired.size > MOST_RETIRED) await this.#forget(oldest!);
  }

  /** Removes the series of versions that are gone. Called after each scrape. */
  async forgetRetired(): Promise<void> {
    for (const entry of this.#retired) await this.#forget(entry);
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

  async #forget(entry: MetricsEntry): Promise<void> {
    const { model, version } = entry;
    this.#retired.delete(entry);
    this.#models.delete(`${model}/${version}`);
    entry.metrics.detach();
    await removeSeries({ model, version }, () => this.#models.has(`${model}/${version}`));
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
      bodiesRead: this.bodiesRead.labels(labels),
      bodiesParsed: this.bodiesParsed.labels(labels),
      inFlight: this.inFlight.labels(labels),
      batchSize: this.batchSize.labels(labels),
      batchRun: this.batchRun.labels(labels),
      queueWait: this.queueWait.labels(labels),
      queueSize: this.queueSize.labels(labels),
      lanes: this.lanes.labels(labels),
      hung: this.hung.labels(labels),
      breaker: this.breaker.labels(labels),
      refused: (code) => this.refused.inc({ ...labels, code }),
      restarted: (reason) => this.restarts.inc({ ...labels, reason }),
      started: (trigger) => this.batches.inc({ ...labels, trigger }),
      failed: (code) => this.batchesFailed.inc({ ...labels, code }),
    });
  }
}
