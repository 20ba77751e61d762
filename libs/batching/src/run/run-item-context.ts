import type { ItemContext } from '#model';

/** What a run knows of an item. */
export interface RunContextItem {
  readonly requestId: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Milliseconds on the scale of `Date.now()`. */
  readonly deadline: number;
}

/** The context of one item in a run. */
export class RunItemContext implements ItemContext, RunContextItem {
  readonly requestId: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly deadline: number;
  /** Whether the item has its whole result, and nobody waits for it any more. */
  ended = false;
  readonly #listeners: (() => void)[] = [];
  #controller: AbortController | undefined;
  #departed = false;

  constructor(item: RunContextItem) {
    this.requestId = item.requestId;
    this.parameters = item.parameters;
    this.deadline = item.deadline;
  }

  /** Whether the item's client has left or its deadline has passed. */
  get departed(): boolean {
    return this.#departed;
  }

  /** Made when a handler first asks for it: an AbortController an item costs more than the rest of a context. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#departed) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  depart(): void {
    if (this.#departed) return;
    this.#departed = true;
    this.#controller?.abort();
    for (const listener of this.#listeners) listener();
  }

  onDeparted(listener: () => void): void {
    this.#listeners.push(listener);
  }
}
