import { unitHash } from './unit-hash.js';

/**
 * Picks a version for a key: always the same one while the weights are the same, and over keys each as often as its
 * weight says.
 *
 * Weighted rendezvous hashing: each version runs a race of exponentially distributed times whose rate is its weight,
 * and the first one wins. A version that comes, goes or gets another weight moves no key between two others, so that
 * a canary that grows only takes clients over.
 *
 * @returns `undefined` when no candidate has a weight above 0
 */
export function pickVersion<V extends { readonly version: string }>(
  key: string,
  candidates: readonly V[],
  weights: Readonly<Record<string, number>>,
): V | undefined {
  const weighted = candidates.filter(({ version }) => weightOf(weights, version) > 0);
  if (weighted.length < 2) return weighted[0];
  let winner: V | undefined;
  let shortest = Infinity;
  for (const candidate of weighted) {
    const { version } = candidate;
    const time = -Math.log(unitHash(key, version)) / weightOf(weights, version);
    if (time < shortest) {
      winner = candidate;
      shortest = time;
    }
  }
  return winner;
}

/** The weight of a version; 0 for one that has none. */
export function weightOf(weights: Readonly<Record<string, number>>, version: string): number {
  return Object.hasOwn(weights, version) ? weights[version]! : 0;
}
