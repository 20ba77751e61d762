import { packArrays } from '#model';
import type { RunnableHandler } from '#batching';
import type { FromWorker, ToWorker } from '../src/protocol/worker-messages.js';
import type { WorkerExit } from '../src/transport/worker-exit.js';
import type { WorkerTransport } from '../src/transport/worker-transport.js';
import { InputDecoder } from '../src/worker/input-decoder.js';
import { withoutUnsendable } from '../src/worker/result-message.js';
import { StreamRunner } from '../src/worker/stream-runner.js';

/** A worker on this thread that runs a streaming handler; what goes between is cloned as between threads. */
export class WiredWorker implements WorkerTransport {
  readonly device = 'cpu';
  onMessage: (message: FromWorker) => void = () => undefined;
  onExit: (exit: WorkerExit) => void = () => undefined;
  readonly sent: ToWorker[] = [];
  readonly answered: FromWorker[] = [];
  readonly #runner: StreamRunner;
  #isDead = false;

  constructor(handler: RunnableHandler) {
    const owner = { workerId: 0, device: 'cpu', model: 'm', version: '1' };
    this.#runner = new StreamRunner(handler, new InputDecoder(undefined), owner, {
      post: (message) => this.#answer(message),
      postStep: (message) => {
        try {
          this.#answer({ ...message, values: packArrays(message.values).values });
        } catch {
          this.#answer(withoutUnsendable(message));
        }
      },
    });
  }

  post(message: ToWorker, transfer: readonly ArrayBuffer[] = []): void {
    if (this.#isDead) return;
    const cloned = structuredClone(message, { transfer: [...transfer] });
    this.sent.push(cloned);
    setImmediate(() => this.#receive(cloned));
  }

  die(): void {
    this.#isDead = true;
    this.onExit({ error: undefined, exitCode: 3 });
  }

  #receive(message: ToWorker): void {
    if (message.type === 'run') void this.#runner.run(message);
    else if (message.type === 'next') this.#runner.next(message);
    else if (message.type === 'close') this.#runner.close(message.batch);
    else if (message.type === 'depart') this.#runner.depart(message.batch, message.index);
  }

  #answer(message: FromWorker): void {
    const cloned = structuredClone(message);
    this.answered.push(cloned);
    setImmediate(() => {
      if (!this.#isDead) this.onMessage(cloned);
    });
  }
}
