/** Injects the {@link DeviceInventory}. */
export const DEVICE_INVENTORY = Symbol('DEVICE_INVENTORY');

/** The devices that workers may run on, and how many workers each has. */
export class DeviceInventory {
  readonly #workers = new Map<string, number>();
  /** How many workers each model is to have, on whichever devices. */
  readonly #planned = new Map<object, number>();

  /**
   * @param devices `cpu`, `cuda:0`, …; at least one
   * @throws {RangeError} when the list is empty or a name is not a device's
   */
  constructor(devices: readonly string[]) {
    if (devices.length === 0) throw new RangeError('at least one device is needed, for example cpu');
    for (const device of devices) {
      if (!/^(cpu|cuda:\d+)$/.test(device)) {
        throw new RangeError(`'${device}' is not a device: expected cpu or cuda:<number>`);
      }
      this.#workers.set(device, 0);
    }
  }

  get devices(): string[] {
    return [...this.#workers.keys()];
  }

  /** Workers that the machine is to have, on whichever devices, also those that have not been started yet. */
  get plannedWorkers(): number {
    return [...this.#planned.values()].reduce((sum, workers) => sum + workers, 0);
  }

  /**
   * Notes how many workers a model is to have.
   *
   * @param owner whose they are; what it said before is forgotten
   * @param workers 0 when it is to have none any more
   */
  plan(owner: object, workers: number): void {
    if (workers === 0) this.#planned.delete(owner);
    else this.#planned.set(owner, workers);
  }

  /**
   * Takes a place on the device that has the fewest workers.
   *
   * @param allowed devices to choose from; left out for all
   * @throws {RangeError} when one of `allowed` is not in the inventory
   */
  acquire(allowed: readonly string[] = this.devices): string {
    let chosen: string | undefined;
    for (const device of allowed) {
      const workers = this.#workers.get(device);
      if (workers === undefined) {
        throw new RangeError(`device '${device}' is not among the server's: ${this.devices.join(', ')}`);
      }
      if (chosen === undefined || workers < this.#workers.get(chosen)!) chosen = device;
    }
    if (chosen === undefined) throw new RangeError('the list of devices is empty');
    this.#workers.set(chosen, this.#workers.get(chosen)! + 1);
    return chosen;
  }

  /** Gives back a place. */
  release(device: string): void {
    this.#workers.set(device, Math.max(0, (this.#workers.get(device) ?? 0) - 1));
  }
}
