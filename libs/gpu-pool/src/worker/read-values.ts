import { deserialize } from 'node:v8';
import type { WireItem } from '../protocol/worker-messages.js';

/** The values of items that have come over, as the handler's decoder wants them. */
export function readValues({ items, values }: Received): readonly unknown[] {
  return values.map((value, index) =>
    items[index]!.isSerialized === true ? deserialize(value as Uint8Array) : value,
  );
}

interface Received {
  readonly items: readonly WireItem[];
  readonly values: readonly unknown[];
}
