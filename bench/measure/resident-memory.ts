import { readFileSync } from 'node:fs';

/** Memory of a process that is in RAM, in MiB. */
export function residentMebibytes(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kibibytes) / 1024;
}

/** Looks at a process's memory once a second. Returns a function that ends this and gives what was seen. */
export function watchMemory(pid: number): () => readonly number[] {
  const seen: number[] = [];
  const timer = setInterval(() => seen.push(residentMebibytes(pid)), 1000);
  return () => {
    clearInterval(timer);
    return seen;
  };
}
