import type { WorkerIsolation } from '#model';
import { availableParallelism } from 'node:os';
import type { Manifest, ModelSource } from '../protocol/worker-messages.js';
import type { LaneSink } from './lane-sink.js';
import { withinLoadTime } from './load-time-limit.js';
import { WorkerLane } from './worker-lane.js';
import type { WorkerPlacement, WorkerPoolEnvironment, WorkerPoolOptions } from './worker-pool-options.js';
import { WorkerSlot } from './worker-slot.js';

/** Time that a process has to close its model when it is told to stop, in milliseconds. */
const PROCESS_STOP_MS = 8000;

/**
 * The workers of one model version, one lane each. A worker that dies or hangs costs the batch that it held, and is
 * replaced. A thread that hangs cannot be ended: it goes on beside its replacement, and only so many may.
 */
export class WorkerPool {
  readonly #source: ModelSource;
  readonly #environment: WorkerPoolEnvironment;
  /** Every worker that has not ended, whatever it does. */
  readonly #lanes = new Set<WorkerLane>();
  /** Those that were given up. */
  readonly #hung = new Set<WorkerLane>();
  #slots: readonly WorkerSlot[] = [];
  #spawned = 0;
  #first: { readonly lane: WorkerLane; readonly isolation: WorkerIsolation } | undefined;
  #options: WorkerPoolOptions | undefined;
  #sink: LaneSink | undefined;
  #stopped: Promise<void> | undefined;

  constructor(source: ModelSource, environment: WorkerPoolEnvironment) {
    this.#source = source;
    this.#environment = environment;
  }

  /** Workers that hang and have not ended. */
  get hungCount(): number {
    return this.#hung.size;
  }

  /** What keeps a worker from running, in words; `undefined` when nothing does. */
  get trouble(): string | undefined {
    return this.#slots.find(({ trouble }) => trouble !== undefined)?.trouble;
  }

  /**
   * Starts the first worker and has it import the model.
   *
   * @param loadTimeoutMs time that this may take, in milliseconds
   * @param workers how many there will be, as far as that is known; they share the CPU
   * @throws {ServingError} `model_not_loadable`
   */
  async load(loadTimeoutMs: number, placement: WorkerPlacement = {}, workers = 1): Promise<Manifest> {
    const load = async () => {
      const { isolation = 'thread' } = placement;
      this.#environment.devices.plan(this, workers);
      const lane = this.#spawn(0, placement);
      this.#first = { lane, isolation };
      return lane.load(this.#source, this.#threadsOfOne);
    };
    return withinLoadTime(load(), loadTimeoutMs, this.#environment.clock);
  }

  /**
   * Starts all workers and hands their lanes to `sink` as they become ready. Settles when all are.
   *
   * @returns the largest batch that all of them give right answers for
   * @throws {ServingError} `model_not_loadable`
   */
  async start(options: WorkerPoolOptions, sink: LaneSink): Promise<number> {
    this.#options = options;
    this.#environment.devices.plan(this, options.workers);
    this.#sink = sink;
    this.#slots = Array.from({ length: options.workers }, (_, workerId) => this.#createSlot(workerId, sink));
    return Math.min(...(await Promise.all(this.#slots.map((slot) => slot.open()))));
  }

  /**
   * Starts further workers, or lets those with the highest numbers end their batch and then themselves. Settles when
   * all that there should be serve. Workers that are there keep their number of CPU threads.
   *
   * @returns the largest batch that the new ones give right answers for
   * @throws {ServingError} `model_not_loadable`; there are as many as before then
   */
  async resize(workers: number): Promise<number> {
    const before = this.#slots;
    this.#setWorkers(workers);
    const added = Array.from({ length: Math.max(0, workers - before.length) }, (_, index) =>
      this.#createSlot(before.length + index, this.#sink!),
    );
    this.#slots = [...before.slice(0, workers), ...added];
    for (const slot of before.slice(workers)) slot.retire();
    const opened = await Promise.allSettled(added.map((slot) => slot.open()));
    const failed = opened.find((each) => each.status === 'rejected');
    if (failed === undefined) {
      return Math.min(Infinity, ...opened.map((each) => (each as PromiseFulfilledResult<number>).value));
    }
    this.#setWorkers(before.length);
    this.#slots = before;
    for (const slot of added) slot.retire();
    throw failed.reason;
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
    for (const slot of this.#slots) slot.close();
    this.#environment.devices.plan(this, 0);
    // A thread could not be ended by force, and is left to the end of the server.
    const { clock } = this.#environment;
    const timer = clock.setTimer(PROCESS_STOP_MS, () => {
      for (const lane of this.#lanes) lane.quit();
    });
    await Promise.all([...this.#lanes].map((lane) => lane.stop()));
    timer.cancel();
  }

  #createSlot(workerId: number, sink: LaneSink): WorkerSlot {
    const { clock, log, restarted = () => undefined } = this.#environment;
    return new WorkerSlot(workerId, {
      clock,
      log,
      sink,
      restarted,
      recycle: this.#options!,
      isStopping: () => this.#isStopping,
      mayStart: () => this.#hung.size <= this.#options!.workers,
      mayRecycle: () => !this.#slots.some(({ isRecycling }) => isRecycling),
      startWorker: (id) => this.#startWorker(id),
      lost: (lane) => this.#lose(lane),
      recycled: () => this.#review(),
    });
  }

  async #startWorker(workerId: number): Promise<WorkerLane> {
    const { name, version, loadTimeoutMs, recycleMemoryBytes } = this.#options!;
    const { maxBatchCost, maxBatchSize, selfCheck } = this.#options!;
    let lane = workerId === 0 ? this.#takeFirst(this.#options!) : undefined;
    const intraOpThreads = this.#threadsOfOne;
    const load = async () => {
      if (lane === undefined) {
        lane = this.#spawn(workerId, this.#options!);
        await lane.load(this.#source, intraOpThreads);
      }
      const model = { name, version, intraOpThreads };
      const tellsMemory = recycleMemoryBytes !== undefined;
      await lane.startModel({ workerId, model, maxBatchCost, maxBatchSize, selfCheck, tellsMemory });
      return lane;
    };
    try {
      return await withinLoadTime(load(), loadTimeoutMs, this.#environment.clock);
    } catch (error) {
      // One that hangs may come back much later, when it has long been replaced.
      if (lane !== undefined) this.#lose(lane);
      lane?.quit();
      throw error;
    }
  }

  #setWorkers(workers: number): void {
    this.#options = { ...this.#options!, workers };
    this.#environment.devices.plan(this, workers);
  }

  /** The machine's cores, shared among the workers that all models are to have. */
  get #threadsOfOne(): number {
    return Math.max(1, Math.floor(availableParallelism() / this.#environment.devices.plannedWorkers));
  }

  /** The worker that was started to load the model, if it stands where the model wants to be. */
  #takeFirst({ devices, isolation = 'thread' }: WorkerPlacement): WorkerLane | undefined {
    const first = this.#first;
    this.#first = undefined;
    if (first === undefined) return undefined;
    const fits = devices === undefined || devices.includes(first.lane.device);
    if (fits && isolation === first.isolation) return first.lane;
    void first.lane.stop();
    return undefined;
  }

  #spawn(workerId: number, { devices, isolation = 'thread' }: WorkerPlacement): WorkerLane {
    if (this.#isStopping) throw new Error('it was stopped while it was loading');
    const { devices: inventory, createTransport, log } = this.#environment;
    const device = inventory.acquire(devices);
    const slot = () => this.#slots[workerId];
    const lane = new WorkerLane(this.#spawned++, device, createTransport({ device, isolation }), {
      log,
      exited: (dead, exit) => {
        this.#lanes.delete(dead);
        inventory.release(device);
        // One that dies while it loads makes the load fail, and whoever waits for that goes on from there.
        slot()?.exited(dead, exit);
        // There may be room for a worker that could not be replaced.
        if (this.#hung.delete(dead)) this.#review();
      },
      hung: (lost) => slot()?.hung(lost),
      exhausted: (worn) => slot()?.exhausted(worn),
      rested: () => slot()?.review(),
    });
    this.#lanes.add(lane);
    return lane;
  }

  #lose(lane: WorkerLane): void {
    if (!lane.hasEnded) this.#hung.add(lane);
  }

  #review(): void {
    for (const slot of this.#slots) slot.review();
  }
}
