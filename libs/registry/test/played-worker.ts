import type { FromWorker, Manifest, ToWorker, WorkerExit, WorkerTransport } from '#gpu-pool';

/** A worker that the test plays: it loads when it is told to, and then gives every item back. */
export class PlayedWorker implements WorkerTransport {
  readonly device = 'cpu';
  onMessage: (message: FromWorker) => void = () => undefined;
  onExit: (exit: WorkerExit) => void = () => undefined;
  hasEnded = false;
  /** Batches that it was given and holds, while it is told to. */
  readonly held: number[] = [];
  holds = false;

  post(message: ToWorker): void {
    if (this.hasEnded) return;
    if (message.type === 'run') {
      if (this.holds) this.held.push(message.batch);
      else this.onMessage({ type: 'result', batch: message.batch, values: message.values, errors: [] });
    } else if (message.type === 'start') {
      this.onMessage({ type: 'ready', batchSizeLimit: 32 });
    } else if (message.type === 'stop' || message.type === 'quit') {
      this.#end();
    }
  }

  /** Says that it has imported its model. */
  load(handler: Manifest['handler'] = {}): void {
    this.onMessage({ type: 'loaded', manifest: { handler, input: {}, output: {} } });
  }

  /** Says that it cannot import its model. */
  refuse(message: string): void {
    this.onMessage({ type: 'refused', error: { name: 'Error', message } });
    this.#end();
  }

  /** Answers the batches that it holds, each item with `value`. */
  release(value: unknown): void {
    this.holds = false;
    for (const batch of this.held.splice(0)) {
      this.onMessage({ type: 'result', batch, values: [value], errors: [] });
    }
  }

  #end(): void {
    this.hasEnded = true;
    queueMicrotask(() => this.onExit({ error: undefined, exitCode: 0 }));
  }
}
