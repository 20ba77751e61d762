import { isServingError, type ServedModel } from '#model';
import { outcomeOf, ShadowMetrics } from '#telemetry';
import { Inject, Injectable } from '@nestjs/common';
import { ModelRegistry } from '../model-registry.js';
import type { ModelVersion } from '../version/model-version.js';
import { TrafficTable } from './traffic-table.js';
import { unitHash } from './unit-hash.js';

/** Copies wait behind whatever else a version has to do. */
const LOWEST_PRIORITY = 10;

/**
 * Sends copies of requests to the shadow of the version that answers them, and throws the answers away. Nothing of it
 * reaches the request: a copy starts after it, in a queue of another version, and how it ends is counted and no more.
 */
@Injectable()
export class ShadowTraffic {
  /** Copies that have not ended, by the version that they were sent to. */
  readonly #inFlight = new Map<ModelVersion, number>();

  constructor(
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
    @Inject(TrafficTable) private readonly traffic: TrafficTable,
    @Inject(ShadowMetrics) private readonly metrics: ShadowMetrics,
  ) {}

  /**
   * Copies a request if the rules say so, and returns at once.
   *
   * @param answering the version that answers it
   * @param body what was decoded of it. Each version validates it by its own schema
   */
  offer(answering: ServedModel, body: unknown, requestId: string): void {
    const { name } = answering;
    const rule = this.traffic.shadowOf(name, answering.version);
    if (rule === undefined || unitHash('shadow', requestId) > rule.fraction) return;
    const shadow = this.registry.find(name, rule.version);
    // It is counted under a version that serves only: what is gone must not come back in the metrics.
    if (shadow === undefined) return;
    const inFlight = this.#inFlight.get(shadow) ?? 0;
    if (inFlight >= mostInFlight(shadow)) {
      this.metrics.ended(name, shadow.version, 'dropped');
      return;
    }
    this.#inFlight.set(shadow, inFlight + 1);
    // The turn belongs to the request and those that batch with it.
    setImmediate(() => void this.#send(shadow, body, requestId));
  }

  async #send(shadow: ModelVersion, body: unknown, requestId: string): Promise<void> {
    const outcome = await run(shadow, body, requestId).then(
      () => 'ok' as const,
      (error: unknown) => (isServingError(error) ? outcomeOf(error.code) : 'failed'),
    );
    this.metrics.ended(shadow.name, shadow.version, outcome);
    const left = this.#inFlight.get(shadow)! - 1;
    if (left > 0) this.#inFlight.set(shadow, left);
    else this.#inFlight.delete(shadow);
  }
}

/** One batch that runs and one that waits: more would only be memory. */
function mostInFlight({ options }: ModelVersion): number {
  return 2 * options.maxBatchSize * options.workers;
}

async function run(shadow: ModelVersion, body: unknown, requestId: string): Promise<void> {
  shadow.assertBreakerCloses();
  const { items, parameters } = shadow.validate(body);
  const priority = LOWEST_PRIORITY;
  shadow.assertAdmits(items.length, { priority });
  const copies = items.map((item) => shadow.predict(item, { requestId, parameters, priority }));
  await Promise.all(copies);
}
