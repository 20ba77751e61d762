import { mkdirSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from './fault.js';
import type { FaultPlan } from './fault-plan.js';

/**
 * A folder in which a test orders faults while a server runs, whatever its workers are. Each order is committed
 * once, by the batch that comes first.
 */
export class FaultFolder {
  #orders = 0;

  /** @param path made if there is none */
  constructor(readonly path: string) {
    mkdirSync(path, { recursive: true });
  }

  /** Has the next batch commit a fault. */
  order(fault: Fault): void {
    const name = String(this.#orders++).padStart(9, '0');
    // A worker that looks meanwhile must not find half an order.
    writeFileSync(join(this.path, `${name}.part`), JSON.stringify(fault));
    renameSync(join(this.path, `${name}.part`), join(this.path, `${name}.fault`));
  }

  /** Orders that no batch has committed yet. */
  get open(): number {
    return ordersIn(this.path).length;
  }
}

/** The plan of a model whose faults are ordered in a {@link FaultFolder}, the oldest first. */
export function faultsFrom(path: string): FaultPlan {
  return () => {
    for (const name of ordersIn(path)) {
      const fault = take(join(path, name));
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

function ordersIn(path: string): string[] {
  return readdirSync(path)
    .filter((name) => name.endsWith('.fault'))
    .sort();
}

/** Who removes an order has it; another worker may have been faster. */
function take(file: string): Fault | undefined {
  try {
    const fault = JSON.parse(readFileSync(file, 'utf8')) as Fault;
    unlinkSync(file);
    return fault;
  } catch {
    return undefined;
  }
}
