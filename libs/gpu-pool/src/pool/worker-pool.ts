import { availableParallelism } from 'node:os';
import type { Clock, Lane, Timer } from '#batching';
import { ServingError, type SelfCheck } from '#model';
import type { DeviceInventory } from '../device/device-inventory.js';
import type { Manifest, ModelSource } from '../protocol/worker-messages.js';
import type { WorkerTransportFactory } from '../transport/worker-transport.js';
import { restartDelayMs } from './restart-delay.js';
import { workerDied, WorkerLane, type WorkerLaneEvents } from './worker-lane.js';

/** Takes lanes in and out; a `DynamicBatcher` is one. */
export interface LaneSink {
  addLane(lane: Lane<unknown, unknown>): void;
  removeLane(lane: Lane<unknown, unknown>, error: ServingError): void;
}

/** How the workers of one model version are to be run. */
export interface WorkerPoolOptions {
  readonly name: string;
  readonly version: string;
  readonly workers: number;
  readonly loadTimeoutMs: number;
  readonly devices?: readonly string[];
  readonly maxBatchCost?: number;
  readonly maxBatchSize: number;
  readonly selfCheck: SelfCheck;
}

/** What a pool needs from around it. */
export interface WorkerPoolEnvironment {
  readonly clock: Clock;
  readonly devices: DeviceInventory;
  readonly createTransport: WorkerTransportFactory;
  readonly log: WorkerLaneEvents['log'];
}

/** A worker that lived this long before it died has not failed at the start. */
const STABLE_AFTER_MS = 10_000;

/**
 * The workers of one model version, one lane each. A worker that dies costs the batch that it held and is
 * replaced after a delay that grows while replacements keep dying.
 */
export class WorkerPool {
  readonly #source: ModelSource;
  readonly #environment: WorkerPoolEnvironment;
  readonly #lanes = new Set<WorkerLane>();
  /** Those whose lane has been handed out. */
  readonly #serving = new Set<WorkerLane>();
  readonly #restarts = new Set<Timer>();
  #first: WorkerLane | undefined;
  #options: WorkerPoolOptions | undefined;
  #sink: LaneSink | undefined;
  #stopped: Promise<void> | undefined;

  constructor(source: ModelSource, environment: WorkerPoolEnvironment) {
    this.#source = source;
    this.#environment = environment;
  }

  /**
   * Starts the first worker and has it import the model.
   *
   * @param loadTimeoutMs time that this may take, in milliseconds
   * @param workers how many there will be, as far as that is known; they share the CPU
   * @throws {ServingError} `model_not_loadable`
   */
  async load(loadTimeoutMs: number, devices?: readonly string[], workers = 1): Promise<Manifest> {
    const load = async () => {
      this.#first = this.#spawn(0, devices);
      return this.#first.load(this.#source, intraOpThreadsFor(workers));
    };
    return this.#withinTime(load(), loadTimeoutMs);
  }

  /**
   * Starts all workers and hands their lanes to `sink` as they become ready. Settles when all are.
   *
   * @returns the largest batch that all of them give right answers for
   * @throws {ServingError} `model_not_loadable`
   */
  async start(options: WorkerPoolOptions, sink: LaneSink): Promise<number> {
    this.#options = options;
    this.#sink = sink;
    const workers = Array.from({ length: options.workers }, (_, workerId) => this.#startWorker(workerId));
    return Math.min(...(await Promise.all(workers)));
  }

  /** Asks every worker to finish what it does, also a load, and to end. Settles when all have ended. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  get #isStopping(): boolean {
    return this.#stopped !== undefined;
  }

  async #stop(): Promise<void> {
    for (const timer of this.#restarts) timer.cancel();
    this.#restarts.clear();
    await Promise.all([...this.#lanes].map((lane) => lane.stop()));
  }

  async #startWorker(workerId: number, failures = 0): Promise<number> {
    const { name, version, workers, loadTimeoutMs, devices } = this.#options!;
    const { maxBatchCost, maxBatchSize, selfCheck } = this.#options!;
    const intraOpThreads = intraOpThreadsFor(workers);
    let lane = workerId === 0 ? this.#takeFirst(devices) : undefined;
    const load = async () => {
      if (lane === undefined) {
        lane = this.#spawn(workerId, devices, failures);
        await lane.load(this.#source, intraOpThreads);
      }
      const model = { name, version, intraOpThreads };
      const assignment = { workerId, device: lane.device, model, maxBatchCost, maxBatchSize, selfCheck };
      return lane.startModel(assignment);
    };
    let batchSizeLimit: number;
    try {
      batchSizeLimit = await this.#withinTime(load(), loadTimeoutMs);
    } catch (error) {
      // One that hangs may come back much later, when it has long been replaced.
      void lane?.stop();
      throw error;
    }
    if (this.#isStopping) return batchSizeLimit;
    this.#serving.add(lane!);
    this.#sink!.addLane(lane!);
    return batchSizeLimit;
  }

  /** The worker that was started to load the model, if it stands on a device where the model wants to be. */
  #takeFirst(devices: readonly string[] | undefined): WorkerLane | undefined {
    const first = this.#first;
    this.#first = undefined;
    if (first === undefined || devices === undefined || devices.includes(first.device)) return first;
    void first.stop();
    return undefined;
  }

  #spawn(workerId: number, devices: readonly string[] | undefined, failures = 0): WorkerLane {
    if (this.#isStopping) throw new Error('it was stopped while it was loading');
    const { clock, devices: inventory, createTransport, log } = this.#environment;
    const startedAt = clock.now();
    const device = inventory.acquire(devices);
    const lane = new WorkerLane(workerId, device, createTransport(), {
      log,
      exited: (dead, exit) => {
        this.#lanes.delete(dead);
        inventory.release(device);
        // One that dies while it loads makes the load fail, and whoever waits for that goes on from there.
        if (!this.#serving.delete(dead)) return;
        this.#sink?.removeLane(dead, workerDied(exit));
        const stable = clock.now() - startedAt >= STABLE_AFTER_MS;
        const reason = exit.error?.message ?? `exit code ${exit.exitCode}`;
        this.#replace(workerId, `died: ${reason}`, stable ? 1 : failures + 1);
      },
    });
    this.#lanes.add(lane);
    return lane;
  }

  #replace(workerId: number, news: string, failures: number): void {
    if (this.#isStopping) return;
    const { clock, log } = this.#environment;
    const delay = restartDelayMs(failures);
    log('error', `worker ${workerId} ${news}; the next attempt is in ${delay} ms`);
    const timer = clock.setTimer(delay, () => {
      this.#restarts.delete(timer);
      this.#startWorker(workerId, failures).catch((error: unknown) => {
        this.#replace(workerId, `could not be replaced: ${String(error)}`, failures + 1);
      });
    });
    this.#restarts.add(timer);
  }

  async #withinTime<T>(step: Promise<T>, limitMs: number): Promise<T> {
    let timer: Timer | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = this.#environment.clock.setTimer(limitMs, () => {
        reject(new Error(`it took longer than ${limitMs / 1000} s`));
      });
    });
    try {
      return await Promise.race([step, timeout]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ServingError('model_not_loadable', `the model cannot be loaded: ${reason}`, { cause: error });
    } finally {
      timer?.cancel();
    }
  }
}

/** The CPU threads that one of so many workers may use for an inference. */
function intraOpThreadsFor(workers: number): number {
  return Math.max(1, Math.floor(availableParallelism() / workers));
}
