import type { BatchItem } from '#batching';
import { packArrays, type PackedValues } from '../payload/pack-arrays.js';
import type { WireItem } from '../protocol/worker-messages.js';

/** Items, ready to be posted to a worker: what its handler is told of them, and their values in one buffer. */
export function toWireItems(
  items: readonly BatchItem<unknown, unknown>[],
): PackedValues & { readonly items: readonly WireItem[] } {
  return {
    ...packArrays(items.map(({ value }) => value)),
    items: items.map(({ requestId, parameters, deadline }) => ({
      requestId,
      parameters,
      deadline: performance.timeOrigin + deadline,
    })),
  };
}
