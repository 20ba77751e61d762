import { isMainThread } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.js';

const DEFAULT_SLOW_MS = 100;

/**
 * Does what a fault says. Settles when the handler is to go on after it.
 *
 * @throws {Error} for the kinds that throw, and for `kill` in a thread, which would end the whole server
 */
export async function commitFault({ kind, milliseconds }: Fault): Promise<void> {
  switch (kind) {
    case 'throw':
      throw new Error('a fault that was ordered');
    case 'out-of-memory':
      throw new Error('out of memory, by order');
    case 'exit':
      process.exit(1);
      break;
    case 'uncaught':
      setImmediate(() => {
        throw new Error('an uncaught error that was ordered');
      });
      return forEver();
    case 'fill-memory':
      return fillMemory();
    case 'kill':
      if (!isMainThread) throw new Error(`the fault 'kill' needs a worker with isolation: 'process'`);
      process.kill(process.pid, 'SIGKILL');
      return forEver();
    case 'slow':
      await sleep(milliseconds ?? DEFAULT_SLOW_MS);
      break;
    case 'stall':
      return forEver();
    case 'hang':
      holdThread(milliseconds);
      break;
    default:
      kind satisfies never;
  }
}

function forEver(): Promise<never> {
  return new Promise(() => undefined);
}

function fillMemory(): never {
  const kept: unknown[] = [];
  for (;;) kept.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
}

/** Waits without giving the thread back to its event loop. */
function holdThread(milliseconds?: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
