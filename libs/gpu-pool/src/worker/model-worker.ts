import { ServingError, type ModelPlace, packArrays } from '#model';
import { checkAtLoad } from '../check/load-check.js';
import { toWire } from '../protocol/wire-error.js';
import type {
  ModelSource,
  ResultMessage,
  RunMessage,
  StepMessage,
  ToWorker,
  WorkerAssignment,
} from '../protocol/worker-messages.js';
import { HandlerRunner } from './handler-runner.js';
import { importModel } from './import-model.js';
import type { LoadedModel } from './loaded-model.js';
import { InputDecoder } from './input-decoder.js';
import { StreamRunner } from './stream-runner.js';
import { toResultMessage, withoutUnsendable } from './result-message.js';
import type { RunningModel } from './running-model.js';
import { trialRun } from './trial-run.js';
import type { WorkerPort } from './worker-port.js';

/** The life of one worker: load, start, run, stop. It answers every message and never throws. */
export class ModelWorker {
  readonly #port: WorkerPort;
  #loaded: LoadedModel | undefined;
  #running: RunningModel | undefined;
  #runner: HandlerRunner | StreamRunner | undefined;
  #tellsMemory = false;
  /** Messages are handled one after the other, so that a stop waits for the batch before it. */
  #last: Promise<void> = Promise.resolve();

  constructor(port: WorkerPort) {
    this.#port = port;
  }

  receive(message: ToWorker): void {
    switch (message.type) {
      // These are about the batch that runs now: they must not wait for that batch's end.
      case 'depart':
        this.#runner?.depart(message.batch, message.index);
        break;
      case 'next':
        if (this.#runner instanceof StreamRunner) this.#runner.next(message);
        break;
      case 'close':
        if (this.#runner instanceof StreamRunner) this.#runner.close(message.batch);
        break;
      case 'quit':
        this.#port.quit();
        break;
      default:
        this.#last = this.#last
          .then(() => this.#handle(message))
          .catch((error: unknown) => this.#report(error));
    }
  }

  /** Every step answers for itself; should one fail to, the next ones must go on all the same. */
  #report(error: unknown): void {
    this.#port.post({ type: 'log', level: 'error', message: `the worker failed: ${toWire(error).message}` });
  }

  #handle(message: Exclude<ToWorker, { type: 'depart' | 'next' | 'close' | 'quit' }>): Promise<void> {
    switch (message.type) {
      case 'load':
        return this.#orRefuse(() => this.#load(message.source, message.place));
      case 'start':
        return this.#orRefuse(() => this.#start(message.assignment));
      case 'run':
        return this.#run(message);
      case 'stop':
        return this.#stop();
      default:
        return message satisfies never;
    }
  }

  async #load(source: ModelSource, place: ModelPlace): Promise<void> {
    this.#loaded = await importModel(source, place);
    this.#port.post({ type: 'loaded', manifest: this.#loaded.manifest });
  }

  async #start(assignment: WorkerAssignment): Promise<void> {
    this.#running = await this.#loaded!.start(assignment, (level, message, context) => {
      this.#port.post({ type: 'log', level, message, ...(context === undefined ? {} : { context }) });
    });
    this.#tellsMemory = assignment.tellsMemory === true;
    const { inputClass, cost, warmup } = this.#loaded!;
    const { maxBatchCost } = assignment;
    const bound = cost === undefined || maxBatchCost === undefined ? undefined : { cost, maxBatchCost };
    const handler = { ...this.#running.handler, bound };
    const decoder = new InputDecoder(inputClass);
    const owner = {
      workerId: assignment.workerId,
      device: assignment.device,
      model: assignment.model.name,
      version: assignment.model.version,
    };
    this.#runner =
      handler.streaming === undefined
        ? new HandlerRunner(handler, decoder, owner)
        : new StreamRunner(handler, decoder, owner, {
            post: (message) => this.#port.post(message),
            postStep: (message) => this.#postResult(message),
          });
    const batchSizeLimit = await checkAtLoad(trialRun(handler, decoder, owner), {
      samples: warmup,
      maxBatchSize: assignment.maxBatchSize,
      selfCheck: assignment.selfCheck,
      warn: (text) => this.#port.post({ type: 'log', level: 'warn', message: text }),
    });
    this.#port.post({ type: 'ready', batchSizeLimit });
  }

  async #run(message: RunMessage): Promise<void> {
    try {
      if (this.#runner === undefined) throw new ServingError('model_not_ready', 'the model has not started');
      const results = await this.#runner.run(message);
      this.#tellMemory();
      // A streaming run has answered step by step.
      if (results !== undefined) this.#postResult(toResultMessage(message.batch, results));
    } catch (error) {
      this.#port.post({ type: 'failed', batch: message.batch, error: toWire(error) });
    }
  }

  #tellMemory(): void {
    if (this.#tellsMemory) this.#port.post({ type: 'memory', bytes: this.#port.memoryBytes() });
  }

  /** Copies the results, at once: the model may use its buffers again for the next batch. */
  #postResult(message: ResultMessage | StepMessage): void {
    try {
      this.#postPacked(message);
    } catch {
      this.#postPacked(withoutUnsendable(message));
    }
  }

  #postPacked(message: ResultMessage | StepMessage): void {
    const { values, transfer } = packArrays(message.values);
    this.#port.post({ ...message, values }, transfer);
  }

  async #stop(): Promise<void> {
    try {
      await this.#running?.close();
    } catch (error) {
      this.#port.post({ type: 'log', level: 'error', message: `closing the model failed: ${String(error)}` });
    }
    this.#port.post({ type: 'stopped' });
    this.#port.close();
  }

  /** A worker whose model cannot be had is of no use: it says why and ends. */
  async #orRefuse(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#port.post({ type: 'refused', error: toWire(error) });
      this.#port.close();
    }
  }
}
