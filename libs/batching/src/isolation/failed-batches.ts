import { ServingError } from '#model';
import type { BatcherObserver } from '../batcher-observer.js';
import type { Batch } from '../lane/batch.js';
import type { BatchItem } from '../queue/batch-item.js';
import { failureKind, type FailureKind } from './failure-kind.js';
import { Isolation } from './isolation.js';

/** Items of a failed batch that are to run together once more. */
export interface RetryPart<I, O> {
  readonly items: readonly BatchItem<I, O>[];
  readonly isolation: Isolation;
}

/**
 * Takes failed batches apart, so that each bad item gets its own error and every good one its result.
 *
 * The parts take turns with new traffic: poison does not hold up good items, nor load the good items of a
 * failed batch.
 */
export class FailedBatches<I, O> {
  readonly #observer: BatcherObserver;
  readonly #parts: RetryPart<I, O>[] = [];
  #isTurn = true;
  #memoryLimit = Infinity;

  constructor(observer: BatcherObserver) {
    this.#observer = observer;
  }

  /** Parts that wait. */
  get size(): number {
    return this.#parts.length;
  }

  /** Most items that the device's memory has been found to hold. */
  get memoryLimit(): number {
    return this.#memoryLimit;
  }

  /** How long the parts that wait run, one after the other, in milliseconds. */
  runMs(serviceTimeMs: (size: number) => number): number {
    return this.#parts.reduce((sum, { items }) => sum + serviceTimeMs(items.length), 0);
  }

  /** Removes and returns the part that goes before new traffic, of which `waiting` items wait. */
  next(waiting: number): RetryPart<I, O> | undefined {
    const isTurn = this.#isTurn || waiting === 0;
    this.#isTurn = true;
    if (!isTurn) return undefined;
    for (let part = this.#parts.shift(); part !== undefined; part = this.#parts.shift()) {
      const items = part.items.filter((item) => !item.settled);
      if (items.length > 0) {
        this.#isTurn = false;
        return { items, isolation: part.isolation };
      }
      this.#conclude(part.isolation);
    }
    return undefined;
  }

  /**
   * Decides what becomes of the items of a batch that has ended, and reports whether the batch, with all its
   * parts, was a success.
   *
   * @param mayRunAgain whether an item may run a second time
   * @returns the items that wait again
   */
  judge(batch: Batch<I, O>, mayRunAgain: boolean): readonly BatchItem<I, O>[] {
    const { error, isolation } = batch;
    if (error === undefined) {
      if (isolation === undefined)
        this.#observer.batchJudged?.(batch.isInconclusive ? allLeft() : undefined, batch.id);
      else {
        isolation.succeeded = true;
        this.#conclude(isolation);
      }
      return [];
    }
    const alive = batch.items.filter((item) => !item.settled);
    const again = alive.filter((item) => !item.begun);
    const kind = failureKind(error);
    const parts = mayRunAgain ? this.#partsOf(batch, again, kind) : [];
    const owner = isolation ?? new Isolation(batch.id, batch.size, batch.isInconclusive ? allLeft() : error);
    if (parts.length > 0 && owner.spend(parts.length, kind === 'memory' || kind === 'death')) {
      for (const items of parts) this.#parts.push({ items, isolation: owner });
      for (const item of again) item.state = 'queued';
      for (const item of alive) if (item.begun) item.reject(error);
    } else {
      for (const item of alive) item.reject(alive.length === 1 && batch.size === 1 ? alone(error) : error);
      parts.length = 0;
    }
    this.#conclude(owner);
    return parts.length > 0 ? again : [];
  }

  /** Whether a batch shows that its lane has no memory left for even a single item. */
  isBroken({ error, size }: Batch<I, O>): boolean {
    return error !== undefined && size === 1 && failureKind(error) === 'memory';
  }

  /** Removes and returns every item that waits here. */
  clear(): BatchItem<I, O>[] {
    return this.#parts.splice(0).flatMap(({ items }) => items);
  }

  #partsOf(batch: Batch<I, O>, alive: readonly BatchItem<I, O>[], kind: FailureKind): BatchItem<I, O>[][] {
    if (kind === 'memory') {
      this.#memoryLimit = Math.min(this.#memoryLimit, Math.max(1, Math.floor(batch.size / 2)));
    }
    if (kind === 'final' || batch.size === 1) return [];
    if (kind === 'death') return alive.map((item) => [item]);
    const middle = Math.ceil(alive.length / 2);
    return [alive.slice(0, middle), alive.slice(middle)].filter((items) => items.length > 0);
  }

  #conclude(isolation: Isolation): void {
    isolation.partEnded();
    if (isolation.pending) return;
    this.#observer.batchJudged?.(isolation.succeeded ? undefined : isolation.error, isolation.batchId);
  }
}

function allLeft(): ServingError {
  return new ServingError('cancelled', 'everybody who waited for the batch had left');
}

/** Its only item is to blame: say so. */
function alone(error: ServingError): ServingError {
  if (error.code !== 'handler_failed') return error;
  return new ServingError('handler_failed', 'the model failed on this item', { cause: error.cause });
}
