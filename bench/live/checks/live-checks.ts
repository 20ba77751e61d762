import type { LiveCheck } from '../live-check.js';
import { goodputCheck } from './goodput-check.js';

/** Every check by its name, in the order in which they run. */
export const LIVE_CHECKS: Readonly<Record<string, LiveCheck>> = {
  goodput: goodputCheck,
};
