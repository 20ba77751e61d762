import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What a process holds at this moment. */
export interface ProcessCounts {
  readonly threads: number;
  /** Open files, sockets and pipes. */
  readonly files: number;
  /** Timers that are set. */
  readonly timers: number;
  /** What else keeps the event loop alive: sockets, message ports, workers. */
  readonly handles: number;
  /** Listeners on `process`. */
  readonly listeners: number;
  /** JavaScript objects in use, after a collection, in MiB. */
  readonly heapMiB: number;
  /** Memory of the whole process, in MiB. */
  readonly residentMiB: number;
}

const MEBIBYTE = 2 ** 20;

/** Counts what this process holds. Threads and files are known on Linux only, and 0 elsewhere. */
export function processCounts(): ProcessCounts {
  collectGarbage();
  const resources = process.getActiveResourcesInfo();
  const timers = resources.filter((name) => name === 'Timeout' || name === 'Immediate').length;
  const { heapUsed, rss } = process.memoryUsage();
  return {
    threads: entries('/proc/self/task'),
    files: entries('/proc/self/fd'),
    timers,
    handles: resources.length - timers,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    heapMiB: heapUsed / MEBIBYTE,
    residentMiB: rss / MEBIBYTE,
  };
}

function entries(folder: string): number {
  return process.platform === 'linux' ? readdirSync(folder).length : 0;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
}
