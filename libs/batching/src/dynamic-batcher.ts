import { setMaxListeners } from 'node:events';
import { ServingError, type CancelSignal } from '#model';
import type { AdmissionRequest } from './admission/admission.js';
import type { BatcherObserver } from './batcher-observer.js';
import { DEFAULT_PRIORITY, type BatcherOptions, type SubmitOptions } from './batcher-options.js';
import type { Clock } from './clock/clock.js';
import { DeviceArbiter } from './device/device-arbiter.js';
import { Dispatcher } from './dispatcher.js';
import type { Lane } from './lane/lane.js';
import { BatchItem } from './queue/batch-item.js';
import { TokenCollector } from './stream/token-collector.js';
import type { TokenSink } from './stream/token-sink.js';
import { TokenStream } from './stream/token-stream.js';

const DEFAULT_STREAM_BUFFER = 1024;
const NO_PARAMETERS: Readonly<Record<string, unknown>> = Object.freeze({});

/**
 * Groups single items into batches and gives each caller its own result.
 *
 * Items wait in one queue, from which free lanes pull: a lane that stalls strands at most the batch it holds.
 * A batch stays open until a lane really takes it. Each item ends exactly once: with its result, an error,
 * its deadline, or its withdrawal.
 *
 * @typeParam I one item's input
 * @typeParam O one item's result
 */
export class DynamicBatcher<I, O> {
  readonly #clock: Clock;
  readonly #dispatcher: Dispatcher<I, O>;
  #arrivals = 0;

  /** @param devices shared by the batchers whose lanes share devices */
  constructor(
    options: BatcherOptions,
    clock: Clock,
    observer: BatcherObserver = {},
    devices = new DeviceArbiter(),
  ) {
    this.#clock = clock;
    this.#dispatcher = new Dispatcher(options, clock, observer, devices);
  }

  get options(): BatcherOptions {
    return this.#dispatcher.options;
  }

  /** Items that wait. */
  get queueSize(): number {
    return this.#dispatcher.queueSize;
  }

  /** Items in batches that run. */
  get runningSize(): number {
    return this.#dispatcher.runningSize;
  }

  /** Lanes that are alive, free or busy. */
  get laneCount(): number {
    return this.#dispatcher.laneCount;
  }

  /** Most items that a batch may hold now: the option, or less where memory has been found to end earlier. */
  get batchLimit(): number {
    return this.#dispatcher.batchLimit;
  }

  /**
   * Throws the error with which `count` items should be refused now, or returns. It costs little, and can be asked
   * before anything is known of the items. What is submitted all the same is only refused where it cannot even wait;
   * if it cannot be on time, it is given up later.
   *
   * @throws {ServingError} the reason given to {@link close}, `no_worker`, `queue_full` or `predicted_late`
   */
  assertAdmits(count = 1, request: AdmissionRequest = {}): void {
    const { admission } = this.#dispatcher;
    admission.assertRoom(count);
    admission.assertOnTime(count, request);
  }

  /**
   * Queues one item.
   *
   * @returns the item's own result; where the handler streams, the list of its tokens
   * @throws {ServingError} the reason given to {@link close}, `no_worker`, `queue_full`, `cost_too_large`, `cancelled`,
   *   `deadline_exceeded`, `handler_failed`, `contract_violation`, or what the handler put into the item's slot
   */
  submit(value: I, options: SubmitOptions = {}): Promise<O> {
    return new Promise<O>((resolve, reject) => {
      this.enqueue(value, options, resolve, reject);
    });
  }

  /**
   * Queues one item and gives its tokens one by one; where the handler does not stream, its result is the one
   * token. A stream that its reader gives up leaves its batch.
   *
   * @throws {ServingError} at once where {@link submit} settles at once; else the stream ends with an error of {@link submit}'s or with `slow_reader`
   */
  stream(value: I, options: SubmitOptions = {}): TokenStream<O> {
    const stream = new TokenStream<O>(this.options.maxStreamBuffer ?? DEFAULT_STREAM_BUFFER);
    const finish = (result: O) => {
      if (this.options.streaming === undefined) stream.push(result);
      stream.end();
    };
    const item = this.#add(value, options, stream, finish, (error) => stream.end(error));
    stream.onReturn = () => this.#dispatcher.withdraw(item, cancelled());
    return stream;
  }

  /**
   * Like {@link submit}, with callbacks in place of a promise. Exactly one of them is called, once.
   *
   * @throws {ServingError} when the item is refused at once; no callback is called then
   */
  enqueue(
    value: I,
    options: SubmitOptions,
    resolve: (result: O) => void,
    reject: (error: ServingError) => void,
  ): void {
    if (this.options.streaming === undefined) {
      this.#add(value, options, undefined, resolve, reject);
    } else {
      const collector = new TokenCollector<O>();
      this.#add(value, options, collector, () => resolve(collector.tokens as O), reject);
    }
  }

  #add(
    value: I,
    options: SubmitOptions,
    sink: TokenSink<O> | undefined,
    resolve: (result: O) => void,
    reject: (error: ServingError) => void,
  ): BatchItem<I, O> {
    this.#dispatcher.admission.assertRoom(1);
    const { cost = 1, signal, signature = '' } = options;
    const { maxBatchCost = Infinity, timeoutMs } = this.options;
    if (cost > maxBatchCost) {
      throw new ServingError(
        'cost_too_large',
        `the input costs ${cost}, a batch holds at most ${maxBatchCost}`,
      );
    }
    if (signal?.aborted === true) throw cancelled();
    const arrival = this.#clock.now();
    const item = new BatchItem<I, O>({
      value,
      requestId: options.requestId ?? '',
      parameters: options.parameters ?? NO_PARAMETERS,
      sequence: this.#arrivals++,
      arrival,
      deadline: arrival + Math.min(options.timeoutMs ?? Infinity, timeoutMs),
      signature,
      priority: options.priority || DEFAULT_PRIORITY,
      cost,
      sink,
      resolve,
      reject,
    });
    this.#withdrawOnAbort(item, signal);
    this.#dispatcher.add(item);
    return item;
  }

  /** Adds a lane, which is free from now on. */
  addLane(lane: Lane<I, O>): void {
    this.#dispatcher.addLane(lane);
  }

  /**
   * Takes a lane out. What waits goes on waiting for the others; the batch in flight, if any, fails with
   * `error`.
   */
  removeLane(lane: Lane<I, O>, error: ServingError): void {
    this.#dispatcher.removeLane(lane, error);
  }

  /** Takes a lane out that may still end the batch that it has, however long that takes. */
  retireLane(lane: Lane<I, O>): void {
    this.#dispatcher.retireLane(lane);
  }

  /** Changes settings. They hold for what is decided from now on. */
  configure(options: Partial<BatcherOptions>): void {
    this.#dispatcher.configure(options);
  }

  /** Refuses new items with `reason` from now on. What was admitted goes on, and is not held any more. */
  close(reason: ServingError): void {
    this.#dispatcher.admission.close(reason);
    this.#dispatcher.stopHolding();
  }

  /** Settles when nothing waits and nothing runs. */
  drained(): Promise<void> {
    return this.#dispatcher.drained();
  }

  /** Ends everything that still waits or runs with `error`. */
  abandon(error: ServingError): void {
    this.#dispatcher.abandon(error);
  }

  #withdrawOnAbort(item: BatchItem<I, O>, signal: CancelSignal | undefined): void {
    if (signal === undefined) return;
    // One client's signal may stand for all items of a large call, which Node would take for a leak.
    if (signal instanceof AbortSignal) setMaxListeners(0, signal);
    const onAbort = () => this.#dispatcher.withdraw(item, cancelled());
    signal.addEventListener('abort', onAbort);
    item.onSettled = () => signal.removeEventListener('abort', onAbort);
  }
}

function cancelled(): ServingError {
  return new ServingError('cancelled', 'the caller withdrew the request');
}
