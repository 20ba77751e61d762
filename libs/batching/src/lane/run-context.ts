import type { BatchContext, ItemContext } from '#model';

/** What a {@link RunContext} knows of an item. */
export interface RunContextItem {
  readonly requestId: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Milliseconds on the scale of `Date.now()`. */
  readonly deadline: number;
}

/** Who runs a batch. */
export interface RunContextOwner {
  readonly workerId: number;
  readonly device: string;
  readonly model: string;
  readonly version: string;
}

/**
 * The context of one run of a handler. Signals are made when a handler first asks for them: most never do,
 * and an AbortController an item costs more than the rest of the context.
 */
export class RunContext implements BatchContext {
  readonly workerId: number;
  readonly device: string;
  readonly model: string;
  readonly version: string;
  readonly items: readonly RunItemContext[];
  #controller: AbortController | undefined;
  #departed = 0;

  constructor(owner: RunContextOwner, items: readonly RunContextItem[]) {
    this.workerId = owner.workerId;
    this.device = owner.device;
    this.model = owner.model;
    this.version = owner.version;
    this.items = items.map((item) => new RunItemContext(item));
  }

  get signal(): AbortSignal {
    this.#controller ??= abortedIf(this.#allDeparted);
    return this.#controller.signal;
  }

  /** Aborts the signal of one item, and with the last item the signal of the batch. */
  depart(index: number): void {
    const item = this.items[index];
    if (item === undefined || item.departed) return;
    item.depart();
    this.#departed++;
    if (this.#allDeparted) this.#controller?.abort();
  }

  get #allDeparted(): boolean {
    return this.#departed === this.items.length;
  }
}

class RunItemContext implements ItemContext {
  readonly requestId: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly deadline: number;
  departed = false;
  #controller: AbortController | undefined;

  constructor(item: RunContextItem) {
    this.requestId = item.requestId;
    this.parameters = item.parameters;
    this.deadline = item.deadline;
  }

  get signal(): AbortSignal {
    this.#controller ??= abortedIf(this.departed);
    return this.#controller.signal;
  }

  depart(): void {
    this.departed = true;
    this.#controller?.abort();
  }
}

function abortedIf(aborted: boolean): AbortController {
  const controller = new AbortController();
  if (aborted) controller.abort();
  return controller;
}
