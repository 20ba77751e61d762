import { packArrays, SerializedItem, type PackedValues } from '#model';
import type { BatchItem } from '#batching';
import type { WireItem } from '../protocol/worker-messages.js';

/** Items, ready to be posted to a worker: what its handler is told of them, and their values in one buffer. */
export function toWireItems(
  items: readonly BatchItem<unknown, unknown>[],
): PackedValues & { readonly items: readonly WireItem[] } {
  return {
    ...packArrays(items.map(({ value }) => (value instanceof SerializedItem ? value.bytes : value))),
    items: items.map(({ value, requestId, parameters, deadline }) => ({
      requestId,
      parameters,
      deadline: performance.timeOrigin + deadline,
      ...(value instanceof SerializedItem ? { isSerialized: true } : {}),
    })),
  };
}
