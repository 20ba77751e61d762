import { machineSeconds, processSeconds } from './cpu-time.js';

/** Above this share of the machine, what others did may have changed a result. */
export const DIRTY_SHARE = 0.06;

/** Finds out how much of the machine was used by anything but the benchmark. */
export class ForeignLoad {
  readonly #pids: readonly number[];
  #ownBefore = 0;
  #machineBefore = { busy: 0, total: 0 };

  /** @param pids the processes that belong to the benchmark, beside this one and its ended children */
  constructor(pids: readonly number[]) {
    this.#pids = [process.pid, ...pids];
  }

  start(): void {
    this.#ownBefore = this.#own();
    this.#machineBefore = machineSeconds();
  }

  /** The share since the start, from 0 to 1. */
  share(): number {
    const machine = machineSeconds();
    const busy = machine.busy - this.#machineBefore.busy;
    const foreign = busy - (this.#own() - this.#ownBefore);
    return Math.max(0, foreign / (machine.total - this.#machineBefore.total));
  }

  #own(): number {
    return this.#pids.reduce((sum, pid) => sum + processSeconds(pid), 0);
  }
}
