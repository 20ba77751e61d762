import type { AdmissionRequest, SubmitOptions, Timer, WindowPolicy } from '#batching';
import type { ModelBreaker } from '#circuit-breaker';
import type { Manifest } from '#gpu-pool';
import {
  plainItem,
  ServingError,
  streamingModeOf,
  type ItemStream,
  type JsonSchema,
  type ModelOptions,
  type PredictOptions,
  type RequestedItems,
  type ServedModel,
} from '#model';
import type { ModelMetrics } from '#telemetry';
import { OPTION_TABLE } from '../options/option-table.js';
import { breakerOptions } from './breaker-options.js';
import { OpenStreams } from './open-streams.js';
import type { ModelVersionParts } from './model-version-parts.js';

/** Time that workers have to close their model before nobody waits for them any more, in milliseconds. */
const WORKER_STOP_MS = 10_000;

const NO_PARAMETERS: Readonly<Record<string, unknown>> = Object.freeze({});

/** One version of a model, from its queue to its workers. Every transport's requests pass through here. */
export class ModelVersion implements ServedModel {
  readonly name: string;
  readonly version: string;
  readonly manifest: Manifest;
  readonly metrics: ModelMetrics;
  readonly breaker: ModelBreaker;
  readonly #parts: ModelVersionParts;
  readonly #openStreams = new OpenStreams();
  #options: ModelOptions;
  #heldPlaces = 0;
  #draining = false;
  #successor: ModelVersion | undefined;

  constructor(parts: ModelVersionParts) {
    this.name = parts.name;
    this.version = parts.version;
    this.#options = parts.options;
    this.manifest = parts.manifest;
    this.metrics = parts.metrics;
    this.breaker = parts.breaker;
    this.#parts = parts;
  }

  /** What holds for it now. */
  get options(): ModelOptions {
    return this.#options;
  }

  get input(): JsonSchema {
    return this.manifest.input;
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

  /** What keeps a worker from running, in words; `undefined` when nothing does. */
  get trouble(): string | undefined {
    return this.#parts.trouble();
  }

  /** Workers that are alive and have loaded the model. */
  get laneCount(): number {
    return this.#parts.batcher.laneCount;
  }

  assertAdmits(count = 1, request?: AdmissionRequest): void {
    if (this.#successor !== undefined) return this.#successor.assertAdmits(count, request);
    this.#parts.batcher.assertAdmits(this.#heldPlaces + count, request);
  }

  holdPlace(): () => void {
    if (this.#successor !== undefined) return this.#successor.holdPlace();
    this.#heldPlaces++;
    return () => {
      this.#heldPlaces--;
    };
  }

  assertBreakerCloses(): void {
    if (this.#successor !== undefined) return this.#successor.assertBreakerCloses();
    this.breaker.assertCloses(this.queueSize);
  }

  /** Whether its number of workers can change while it serves. */
  get isResizable(): boolean {
    return this.#parts.resize !== undefined;
  }

  /**
   * Changes its number of workers, before or after {@link configure} says that it has changed.
   *
   * @returns the largest batch that new workers give right answers for
   * @throws {ServingError} `model_not_loadable`; there are as many as before then
   */
  resize(workers: number): Promise<number> {
    return this.#parts.resize!(workers);
  }

  /**
   * Changes options that can change while it serves. They hold for what is decided from now on.
   *
   * @param options all of them, changed or not
   * @param window the policy, where its name has changed
   */
  configure(options: ModelOptions, window?: WindowPolicy): void {
    this.#options = options;
    // An option that is off now must not stay as it was.
    const all = Object.fromEntries(OPTION_TABLE.map(({ name }) => [name, options[name]]));
    const { window: _, ...batching } = all as unknown as ModelOptions;
    this.#parts.batcher.configure(window === undefined ? batching : { ...batching, window });
    this.breaker.configure(breakerOptions(options));
  }

  /** Closes the circuit breaker, whatever happened. */
  resetBreaker(): void {
    this.breaker.reset();
  }

  validate(body: unknown): RequestedItems {
    if (this.#successor !== undefined) return this.#successor.validate(body);
    const requested = this.#parts.validator.validate(body);
    const { maxQueueSize } = this.options;
    if (requested.items.length <= maxQueueSize) return requested;
    const message = `must hold at most ${maxQueueSize} items, since no more may wait`;
    throw new ServingError('invalid_input', `/inputs ${message}`, {
      faults: [{ field: '/inputs', message }],
    });
  }

  predict(item: unknown, options: PredictOptions = {}): Promise<unknown> {
    const successor = this.#successor;
    if (successor !== undefined) return successor.predict(this.#recheck(item, options), options);
    return this.#parts.batcher.submit(this.#valueFor(item), this.#toSubmit(item, options));
  }

  stream(item: unknown, options: PredictOptions = {}): ItemStream {
    const successor = this.#successor;
    if (successor !== undefined) return successor.stream(this.#recheck(item, options), options);
    const stream = this.#parts.batcher.stream(this.#valueFor(item), this.#toSubmit(item, options));
    this.#openStreams.add(stream);
    return stream;
  }

  #toSubmit(item: unknown, options: PredictOptions): SubmitOptions {
    const { signatureOf, costOf } = this.#parts;
    const { requestId, parameters = NO_PARAMETERS, timeoutMs, priority, signal } = options;
    const signature = signatureOf(item, parameters);
    return { requestId, parameters, timeoutMs, priority, signal, signature, cost: costOf(item) };
  }

  /** Begins to serve: its gauges are shown. */
  open(): void {
    this.#parts.startReporting();
  }

  /** Refuses new requests with `reason` from now on, and goes on with what was admitted. */
  close(reason: ServingError): void {
    this.#draining = true;
    this.#parts.batcher.close(reason);
  }

  /**
   * Leaves everything that comes from now on to `successor`: also the requests that were resolved to this version
   * before and have not been queued yet. What is queued here is answered here.
   */
  supersede(successor: ModelVersion): void {
    this.#successor = successor;
    this.#parts.stopReporting();
    this.close(new ServingError('model_removed', 'the model was replaced'));
  }

  /**
   * Waits until what was admitted has been answered, at most `limitMs`; what is left then is refused with `reason`.
   *
   * @param limitMs milliseconds
   * @returns how many requests were refused
   */
  async drain(limitMs: number, reason: ServingError): Promise<number> {
    const { batcher } = this.#parts;
    await this.#within(
      limitMs,
      batcher.drained().then(() => this.#openStreams.closed()),
    );
    const refused = batcher.queueSize + batcher.runningSize;
    batcher.abandon(reason);
    return refused;
  }

  /**
   * Drains it and ends the workers.
   *
   * @param limitMs as for {@link drain}
   * @returns how many requests were refused
   */
  async retire(limitMs: number, reason: ServingError): Promise<number> {
    const refused = await this.drain(limitMs, reason);
    // A worker that hangs in native code may never end, and nobody can make it.
    await this.#within(WORKER_STOP_MS, this.#parts.free());
    return refused;
  }

  async #within(limitMs: number, step: Promise<void>): Promise<void> {
    let timer: Timer | undefined;
    const timeUp = new Promise<void>((resolve) => {
      timer = this.#parts.clock.setTimer(limitMs, resolve);
    });
    await Promise.race([step, timeUp]);
    timer!.cancel();
  }

  /** What its handler is given: a worker restores an item itself. */
  #valueFor(item: unknown): unknown {
    return this.#parts.isInline ? plainItem(item) : item;
  }

  /** An item that this version has accepted, as its successor accepts it: its input may be described otherwise. */
  #recheck(item: unknown, { parameters = NO_PARAMETERS }: PredictOptions): unknown {
    return this.#successor!.validate({ data: plainItem(item), parameters }).items[0];
  }
}
