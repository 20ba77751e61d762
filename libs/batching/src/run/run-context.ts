import type { BatchContext } from '#model';
import { RunItemContext, type RunContextItem } from './run-item-context.js';

/** Who runs a batch. */
export interface RunContextOwner {
  readonly workerId: number;
  readonly device: string;
  readonly model: string;
  readonly version: string;
}

/** The context of one run of a handler. */
export class RunContext implements BatchContext {
  readonly workerId: number;
  readonly device: string;
  readonly model: string;
  readonly version: string;
  readonly #items: RunItemContext[];
  readonly #owner: RunContextOwner;
  #controller: AbortController | undefined;

  constructor(owner: RunContextOwner, items: readonly RunContextItem[]) {
    this.workerId = owner.workerId;
    this.device = owner.device;
    this.model = owner.model;
    this.version = owner.version;
    this.#items = items.map((item) => (item instanceof RunItemContext ? item : new RunItemContext(item)));
    this.#owner = owner;
  }

  get items(): readonly RunItemContext[] {
    return this.#items;
  }

  /** Made when a handler first asks for it: most never do. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      for (const item of this.#items) item.onDeparted(() => this.#abortIfDeserted());
      this.#abortIfDeserted();
    }
    return this.#controller.signal;
  }

  /** The same context for some of the items, in the order of `indices`. */
  only(indices: readonly number[]): RunContext {
    if (indices.length === this.items.length) return this;
    return new RunContext(
      this.#owner,
      indices.map((index) => this.items[index]!),
    );
  }

  /** Appends an item that has joined the run. */
  join(item: RunItemContext): void {
    this.#items.push(item);
    if (this.#controller !== undefined) item.onDeparted(() => this.#abortIfDeserted());
  }

  /** Takes out the item at `index`, which has left the run. */
  leave(index: number): void {
    this.#items.splice(index, 1);
  }

  #abortIfDeserted(): void {
    const isDeserted =
      this.#items.some(({ departed }) => departed) &&
      this.#items.every(({ departed, ended }) => departed || ended);
    if (isDeserted) this.#controller!.abort();
  }
}
