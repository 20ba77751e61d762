const FIRST_MS = 100;
const LONGEST_MS = 30_000;

/**
 * How long to wait before a dead worker is replaced: exponential from 0.1 s to 30 s over consecutive failures,
 * so that a model which dies at every start does not keep the machine busy.
 *
 * @param failures deaths since the last one that had run for a while, ≥ 1
 */
export function restartDelayMs(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
}
