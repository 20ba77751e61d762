import type { RandomSource } from './random-source.js';

/** How long something takes, by chance. */
export type DelayLaw =
  | { readonly kind: 'constant'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly fromMs: number; readonly toMs: number }
  | { readonly kind: 'exponential'; readonly meanMs: number }
  | { readonly kind: 'lognormal'; readonly medianMs: number; readonly sigma: number };

/** @returns one delay, in milliseconds */
export function drawDelay(law: DelayLaw, random: RandomSource): number {
  switch (law.kind) {
    case 'constant':
      return law.ms;
    case 'uniform':
      return random.uniform(law.fromMs, law.toMs);
    case 'exponential':
      return random.exponential(law.meanMs);
    case 'lognormal':
      return law.medianMs * Math.exp(law.sigma * random.normal());
  }
}
