import type { LiveCheck } from '../live-check.js';
import { breakerCheck } from './breaker-check.js';
import { burstCheck } from './burst-check.js';
import { cyclesCheck } from './cycles-check.js';
import { goodputCheck } from './goodput-check.js';
import { largeBodiesCheck } from './large-bodies-check.js';
import { loadingCheck } from './loading-check.js';
import { overloadCheck } from './overload-check.js';
import { stalledLaneCheck } from './stalled-lane-check.js';

/** Every check by its name, in the order in which they run. */
export const LIVE_CHECKS: Readonly<Record<string, LiveCheck>> = {
  goodput: goodputCheck,
  overload: overloadCheck,
  'large-bodies': largeBodiesCheck,
  burst: burstCheck,
  breaker: breakerCheck,
  'stalled-lane': stalledLaneCheck,
  loading: loadingCheck,
  cycles: cyclesCheck,
};
