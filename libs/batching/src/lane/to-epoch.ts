import type { RunContextItem } from '../run/run-item-context.js';

/** What a handler is told of an item: handlers compare deadlines with `Date.now()`. */
export function toEpoch({ requestId, parameters, deadline }: RunContextItem): RunContextItem {
  return { requestId, parameters, deadline: performance.timeOrigin + deadline };
}
