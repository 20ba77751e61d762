import { deserialize } from 'node:v8';
import type { BuiltInCost } from '../handler/model-options.js';

/**
 * An item that stays bytes on its way to the worker. Plain values, unlike tensors, are made anew on every thread that
 * they pass, and a million of them would hold up the one that answers everybody.
 */
export class SerializedItem {
  /**
   * @param bytes as `v8.serialize` writes them
   * @param measured what is to be known of the value without reading it
   */
  constructor(
    readonly bytes: Uint8Array,
    readonly measured: Readonly<Record<BuiltInCost, number>>,
  ) {}

  /** The value. */
  restore(): unknown {
    return deserialize(this.bytes);
  }
}

/** The value of an item, serialized or not. */
export function plainItem(item: unknown): unknown {
  return item instanceof SerializedItem ? item.restore() : item;
}
