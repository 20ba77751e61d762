import { readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second, whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;

/** CPU time that a process has used, in seconds, and with it the time of its children that have ended. */
export function processSeconds(pid: number): number {
  return secondsIn(`/proc/${pid}/stat`);
}

/** CPU time that a process's main thread has used, in seconds: in a Node server the one that speaks HTTP. */
export function httpThreadSeconds(pid: number): number {
  return secondsIn(`/proc/${pid}/task/${pid}/stat`, false);
}

/** CPU time that the machine has used and could have used, over all its cores, in seconds. */
export function machineSeconds(): { readonly busy: number; readonly total: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, irq = 0, softIrq = 0, steal = 0] = line
    .split(/\s+/)
    .slice(1)
    .map((ticks) => Number(ticks) / TICKS_PER_SECOND);
  const busy = user + nice + system + irq + softIrq + steal;
  return { busy, total: busy + idle + ioWait };
}

function secondsIn(path: string, withChildren = true): number {
  const text = readFileSync(path, 'utf8');
  // The command's name comes first, in parentheses, and may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15).map(Number);
  return (user + system + (withChildren ? childrenUser + childrenSystem : 0)) / TICKS_PER_SECOND;
}
