const collator = new Intl.Collator('en', { numeric: true });

/**
 * Compares version labels naturally: runs of digits as numbers, the rest as text. `v9` < `v10`,
 * `1.9.0` < `1.10.0`, `1` < `beta`. A total order: labels that differ never compare as equal.
 */
export function compareVersions(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}
