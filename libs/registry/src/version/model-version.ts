import type { DynamicBatcher, SubmitOptions } from '#batching';
import type { ModelBreaker } from '#circuit-breaker';
import type { InputValidator } from '#codec';
import type { Manifest } from '#gpu-pool';
import {
  ServingError,
  streamingModeOf,
  type ItemStream,
  type ModelOptions,
  type PredictOptions,
  type RequestedItems,
  type ServedModel,
} from '#model';
import type { ModelMetrics } from '#telemetry';
import type { Measure } from './item-measures.js';
import { OpenStreams } from './open-streams.js';
import type { SignatureOf } from './signature.js';

/** What a {@link ModelVersion} is made of. */
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
  /** Ends the workers. */
  readonly stopWorkers: () => Promise<void>;
}

const NO_PARAMETERS: Readonly<Record<string, unknown>> = Object.freeze({});

/** One version of a model, from its queue to its workers. Every transport's requests pass through here. */
export class ModelVersion implements ServedModel {
  readonly name: string;
  readonly version: string;
  readonly options: ModelOptions;
  readonly manifest: Manifest;
  readonly metrics: ModelMetrics;
  readonly breaker: ModelBreaker;
  readonly #parts: ModelVersionParts;
  readonly #openStreams = new OpenStreams();
  #draining = false;

  constructor(parts: ModelVersionParts) {
    this.name = parts.name;
    this.version = parts.version;
    this.options = parts.options;
    this.manifest = parts.manifest;
    this.metrics = parts.metrics;
    this.breaker = parts.breaker;
    this.#parts = parts;
  }

  /** `draining` from the moment at which it refuses new requests. */
  get state(): 'ready' | 'draining' {
    return this.#draining ? 'draining' : 'ready';
  }

  /** Whether its handler gives tokens one by one. */
  get isStreaming(): boolean {
    return streamingModeOf(this.manifest.handler) !== undefined;
  }

  /** Items that wait. */
  get queueSize(): number {
    return this.#parts.batcher.queueSize;
  }

  /** Workers that are alive and have loaded the model. */
  get laneCount(): number {
    return this.#parts.batcher.laneCount;
  }

  assertAdmits(count = 1): void {
    this.#parts.batcher.assertAdmits(count);
  }

  assertBreakerCloses(): void {
    this.breaker.assertCloses(this.queueSize);
  }

  /** Closes the circuit breaker, whatever happened. */
  resetBreaker(): void {
    this.breaker.reset();
  }

  validate(body: unknown): RequestedItems {
    const requested = this.#parts.validator.validate(body);
    const { maxQueueSize } = this.options;
    if (requested.items.length <= maxQueueSize) return requested;
    const message = `must hold at most ${maxQueueSize} items, since no more may wait`;
    throw new ServingError('invalid_input', `/inputs ${message}`, {
      faults: [{ field: '/inputs', message }],
    });
  }

  predict(item: unknown, options: PredictOptions = {}): Promise<unknown> {
    return this.#parts.batcher.submit(item, this.#toSubmit(item, options));
  }

  stream(item: unknown, options: PredictOptions = {}): ItemStream {
    const stream = this.#parts.batcher.stream(item, this.#toSubmit(item, options));
    this.#openStreams.add(stream);
    return stream;
  }

  #toSubmit(item: unknown, options: PredictOptions): SubmitOptions {
    const { signatureOf, costOf } = this.#parts;
    const { requestId, parameters = NO_PARAMETERS, timeoutMs, priority, signal } = options;
    const signature = signatureOf(item, parameters);
    return { requestId, parameters, timeoutMs, priority, signal, signature, cost: costOf(item) };
  }

  /** Refuses new requests with `reason` from now on, and goes on with what was admitted. */
  close(reason: ServingError): void {
    this.#draining = true;
    this.#parts.batcher.close(reason);
  }

  /**
   * Waits until what was admitted has been answered, at most `limitMs`; what is left then is refused. Then ends
   * the workers.
   *
   * @param limitMs milliseconds
   */
  async retire(limitMs: number): Promise<void> {
    const { batcher, stopWorkers } = this.#parts;
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
    });
    const answered = batcher.drained().then(() => this.#openStreams.closed());
    await Promise.race([answered, timeUp]);
    clearTimeout(timer);
    batcher.abandon(new ServingError('draining', 'the model was stopped before this request could run'));
    await stopWorkers();
  }
}
