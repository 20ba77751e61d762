import type { ErrorCode } from '#model';
import { outcomeOf, type ModelMetrics, type RequestOutcome } from '#telemetry';
import { ClientSignal } from './client-signal.js';

const RECORD = Symbol('request-record');

/** The life of one prediction request, from the arrival of its headers to the end of its answer. */
export class RequestRecord {
  /** Milliseconds on the scale of `performance.now()`. */
  readonly arrivedAt = performance.now();
  /** Aborted when the client has left before its answer was written. */
  readonly signal = new ClientSignal();
  readonly #metrics: ModelMetrics;
  #outcome: RequestOutcome | undefined;

  constructor(metrics: ModelMetrics) {
    this.#metrics = metrics;
    metrics.requestReceived();
  }

  /** Notes that the request ends with this error. */
  fail(code: ErrorCode): void {
    this.#outcome ??= outcomeOf(code);
    if (this.#outcome === 'rejected') this.#metrics.requestRefused(code);
  }

  /** Notes that its whole body is in memory. */
  bodyRead(): void {
    this.#metrics.bodyRead();
  }

  /** Notes that its body is parsed. */
  bodyParsed(): void {
    this.#metrics.bodyParsed();
  }

  /**
   * Ends the record.
   *
   * @param answered whether the whole answer was written
   */
  close(answered: boolean): void {
    if (!answered) {
      this.#outcome = 'cancelled';
      this.signal.abort();
    }
    this.#metrics.requestEnded(this.#outcome ?? 'ok');
  }
}

/** The record of a request, if it is one for a prediction. */
export function recordOf(request: object): RequestRecord | undefined {
  return (request as Record<symbol, RequestRecord | undefined>)[RECORD];
}

/** @see recordOf */
export function setRecord(request: object, record: RequestRecord): void {
  (request as Record<symbol, RequestRecord>)[RECORD] = record;
}
