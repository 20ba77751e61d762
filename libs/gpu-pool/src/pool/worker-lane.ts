import { StreamingBatch, type Batch, type Lane } from '#batching';
import { fromWire } from '../protocol/wire-error.js';
import type {
  FromWorker,
  Manifest,
  ModelSource,
  StepMessage,
  WorkerAssignment,
} from '../protocol/worker-messages.js';
import { describeExit, type WorkerExit } from '../transport/worker-exit.js';
import type { WorkerTransport } from '../transport/worker-transport.js';
import { toWireItems } from './wire-items.js';
import { WorkerStream } from './worker-stream.js';

/** What a lane tells its pool. */
export interface WorkerLaneEvents {
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, context?: string): void;
  /** The worker has ended, for whatever reason. */
  exited(lane: WorkerLane, exit: WorkerExit): void;
  /** Its batch has run too long. */
  hung(lane: WorkerLane): void;
  /** Not even the smallest batch fits into its memory any more. */
  exhausted(lane: WorkerLane): void;
  /** It has ended a batch, or told what its memory holds. */
  rested(lane: WorkerLane): void;
}

/** A lane whose batches run in a worker. */
export class WorkerLane implements Lane<unknown, unknown> {
  readonly id: number;
  readonly device: string;
  readonly #transport: WorkerTransport;
  readonly #events: WorkerLaneEvents;
  #batch: Batch<unknown, unknown> | undefined;
  /** Set beside a batch that streams. */
  #stream: WorkerStream | undefined;
  #step: { resolve: (message: FromWorker) => void; reject: (error: Error) => void } | undefined;
  #exited = false;
  #batchesRun = 0;
  #memoryBytes = 0;
  #batchSizeLimit = Infinity;
  readonly #exit: Promise<void>;

  constructor(id: number, device: string, transport: WorkerTransport, events: WorkerLaneEvents) {
    this.id = id;
    this.device = device;
    this.#transport = transport;
    this.#events = events;
    this.#exit = new Promise((resolve) => {
      transport.onExit = (exit) => {
        this.#exited = true;
        this.#step?.reject(exit.error ?? new Error(`the worker ended: ${describeExit(exit)}`));
        events.exited(this, exit);
        resolve();
      };
    });
    transport.onMessage = (message) => {
      if (message.type === 'log') events.log(message.level, message.message, message.context);
      else this.#receive(message);
    };
  }

  /** Batches that the worker has answered, also those that failed. */
  get batchesRun(): number {
    return this.#batchesRun;
  }

  /** What the worker's memory held when it told last, in bytes. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** The largest batch that its model gives right answers for, once it has started. */
  get batchSizeLimit(): number {
    return this.#batchSizeLimit;
  }

  get hasEnded(): boolean {
    return this.#exited;
  }

  /** Makes the worker import its model. Settles with what the model says of itself. */
  async load(source: ModelSource, intraOpThreads: number): Promise<Manifest> {
    const answer = this.#nextStep();
    const { device } = this.#transport;
    this.#transport.post({ type: 'load', source, place: { device, intraOpThreads } });
    const message = await answer;
    if (message.type !== 'loaded') throw new Error(`unexpected message '${message.type}' while loading`);
    return message.manifest;
  }

  /** Makes the worker start its model. Settles when it can run batches. */
  async startModel(assignment: Omit<WorkerAssignment, 'device'>): Promise<void> {
    const answer = this.#nextStep();
    const { device } = this.#transport;
    this.#transport.post({ type: 'start', assignment: { ...assignment, device } });
    const message = await answer;
    if (message.type !== 'ready') throw new Error(`unexpected message '${message.type}' while starting`);
    this.#batchSizeLimit = message.batchSizeLimit;
  }

  start(batch: Batch<unknown, unknown>): void {
    this.#batch = batch;
    this.#stream = batch instanceof StreamingBatch ? new WorkerStream(batch, this.#transport) : undefined;
    try {
      this.#post(batch);
    } catch (error) {
      // An in-process caller can pass what cannot be cloned, such as a function.
      this.#take(batch.id)?.fail(error);
    }
  }

  recycle(): void {
    this.#events.exhausted(this);
  }

  giveUp(): void {
    this.#events.hung(this);
  }

  /** Asks the worker to finish what it runs, close its model and end. Settles when it has ended. */
  stop(): Promise<void> {
    if (!this.#exited) this.#transport.post({ type: 'stop' });
    return this.#exit;
  }

  /**
   * Ends the worker whatever it does: a process at once, a thread as soon as it comes back from where it hangs, if it
   * ever does.
   */
  quit(): void {
    if (this.#exited) return;
    if (this.#transport.kill === undefined) this.#transport.post({ type: 'quit' });
    else this.#transport.kill();
  }

  #post(batch: Batch<unknown, unknown>): void {
    const { items, values, transfer } = toWireItems(batch.items);
    this.#transport.post({ type: 'run', batch: batch.id, items, values }, transfer);
    batch.onDeparture = (index) => this.#transport.post({ type: 'depart', batch: batch.id, index });
  }

  #nextStep(): Promise<FromWorker> {
    return new Promise((resolve, reject) => {
      this.#step = { resolve, reject };
    });
  }

  #receive(message: FromWorker): void {
    switch (message.type) {
      case 'loaded':
      case 'ready':
        this.#step?.resolve(message);
        break;
      case 'refused':
        this.#step?.reject(fromWire(message.error));
        break;
      case 'result': {
        const results = [...message.values];
        for (const { index, error } of message.errors) results[index] = fromWire(error);
        this.#take(message.batch)?.complete(results);
        break;
      }
      case 'step':
        if (this.#batch?.id === message.batch) this.#takeStep(message);
        break;
      case 'closed':
        this.#take(message.batch)?.complete(undefined);
        break;
      case 'failed':
        this.#take(message.batch)?.fail(fromWire(message.error));
        break;
      case 'memory':
        this.#memoryBytes = message.bytes;
        this.#events.rested(this);
        break;
      case 'stopped':
      case 'log':
        break;
      default:
        message satisfies never;
    }
  }

  #takeStep(message: StepMessage): void {
    const stream = this.#stream;
    if (message.done) this.#take(message.batch);
    stream?.receive(message);
  }

  /** The batch in flight, if it is the one meant: a late answer must not end a later batch. */
  #take(id: number): Batch<unknown, unknown> | undefined {
    if (this.#batch?.id !== id) return undefined;
    const batch = this.#batch;
    this.#batch = undefined;
    this.#stream = undefined;
    this.#batchesRun++;
    this.#events.rested(this);
    return batch;
  }
}
