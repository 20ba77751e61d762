import { EagerWindow, FixedWindow, WindowPolicies } from '#batching';
import type { SimulatedPolicy } from './simulation.js';

/** What `auto` is measured against: no window, and timers from the oldest item. */
export const FIXED_SETTINGS: readonly SimulatedPolicy[] = [
  { name: 'eager', create: () => new EagerWindow() },
  ...[0.5, 1, 2, 5, 10].map((maxWaitMs) => ({
    name: `fixed ${maxWaitMs}`,
    create: () => new FixedWindow(),
    maxWaitMs,
  })),
];

export const AUTO: SimulatedPolicy = { name: 'auto', create: () => new WindowPolicies().create('auto') };
