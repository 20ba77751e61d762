/** How urgently a model version wants a device. */
export interface DeviceNeed {
  /** Time until its most urgent item must have started, in milliseconds. */
  readonly slackMs: number;
  /** Time that its largest batch takes, in milliseconds; 0 while unknown. */
  readonly longestRunMs: number;
  /** Items that wait. */
  readonly waiting: number;
}

/** One that starts batches on devices which others use too. */
export interface DeviceContender {
  /** What it would start on `device` now; `undefined` for nothing. */
  need(device: string): DeviceNeed | undefined;
  /** Starts what it can. */
  dispatch(): void;
}

/**
 * Bounds the batches that run at once on each device, over all models, and chooses who goes next: whoever could not
 * wait for another's batch goes by least slack; where nobody is in that need, the longest queue goes.
 *
 * Source: the hybrid rule of the scheduling study; least slack alone leaves short queues running small batches.
 */
export class DeviceArbiter {
  readonly #limit: number;
  readonly #running = new Map<string, number>();
  readonly #contenders = new Set<DeviceContender>();

  /** @param limit batches that may run at once on one device, ≥ 1; `Infinity` for no bound */
  constructor(limit = Infinity) {
    this.#limit = limit;
  }

  join(contender: DeviceContender): void {
    this.#contenders.add(contender);
  }

  leave(contender: DeviceContender): void {
    this.#contenders.delete(contender);
  }

  /** Whether a batch may start on `device`. */
  hasRoom(device: string): boolean {
    return this.#limit === Infinity || (this.#running.get(device) ?? 0) < this.#limit;
  }

  /** Whether somebody else waits for `device`, of which there is not enough for everybody. */
  isWantedByOthers(device: string, contender: DeviceContender): boolean {
    if (this.#limit === Infinity) return false;
    for (const other of this.#contenders) {
      if (other !== contender && other.need(device) !== undefined) return true;
    }
    return false;
  }

  batchStarted(device: string): void {
    this.#running.set(device, (this.#running.get(device) ?? 0) + 1);
  }

  /** Notes that a batch has ended, and lets the contenders start what fits, the neediest first. */
  batchEnded(device: string): void {
    this.#running.set(device, Math.max(0, (this.#running.get(device) ?? 0) - 1));
    if (this.#limit === Infinity) return;
    for (const contender of this.#byNeed(device)) {
      if (!this.hasRoom(device)) return;
      contender.dispatch();
    }
  }

  #byNeed(device: string): DeviceContender[] {
    const needs = [...this.#contenders].flatMap((contender) => {
      const need = contender.need(device);
      return need === undefined ? [] : [{ contender, ...need }];
    });
    const longestRun = needs.reduce((longest, { longestRunMs }) => Math.max(longest, longestRunMs), 0);
    const isPressed = ({ slackMs }: DeviceNeed) => slackMs < longestRun;
    return needs
      .sort((a, b) => {
        if (isPressed(a) !== isPressed(b)) return isPressed(a) ? -1 : 1;
        return isPressed(a) ? a.slackMs - b.slackMs : b.waiting - a.waiting;
      })
      .map(({ contender }) => contender);
  }
}
