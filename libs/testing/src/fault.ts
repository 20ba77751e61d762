/**
 * What can go wrong in a model:
 *
 * - `throw`: the handler throws; `out-of-memory`: it throws what runtimes throw when a device's memory is full.
 * - `exit`: it ends its worker; `uncaught`: an error is thrown where nobody catches it; `fill-memory`: the heap runs
 *   full; `kill`: its process gets SIGKILL, as from the kernel. Only a worker in a process of its own can be killed.
 * - `slow`: it answers late; `stall`: it never answers, as when it waits for something that never comes; `hang`: it
 *   holds its thread, as native code can.
 */
export type FaultKind =
  'throw' | 'out-of-memory' | 'exit' | 'uncaught' | 'fill-memory' | 'kill' | 'slow' | 'stall' | 'hang';

/** One fault to commit. */
export interface Fault {
  readonly kind: FaultKind;
  /** How long `slow` and `hang` take, in milliseconds. Default: 100 for `slow`, for ever for `hang`. */
  readonly milliseconds?: number;
}

/** Every kind of fault. */
export const FAULT_KINDS: readonly FaultKind[] = [
  'throw',
  'out-of-memory',
  'exit',
  'uncaught',
  'fill-memory',
  'kill',
  'slow',
  'stall',
  'hang',
];
