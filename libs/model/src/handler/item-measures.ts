import { SerializedItem } from '../directory/serialized-item.js';
import { isTensor } from '../tensor/tensor.js';
import type { BuiltInCost } from './model-options.js';

/** Measures one item. */
export type Measure = (item: unknown) => number;

/** The measure of this name. */
export const MEASURES: Readonly<Record<BuiltInCost, Measure>> = {
  bytes: (item) => {
    if (item instanceof SerializedItem) return item.measured.bytes;
    // A number or a flag counts as the eight bytes of a JavaScript number.
    return sum(item, {
      text: (value) => Buffer.byteLength(value),
      array: ({ byteLength }) => byteLength,
      scalar: 8,
    });
  },
  elements: (item) => {
    if (item instanceof SerializedItem) return item.measured.elements;
    const array = (value: ArrayBufferView) => (value as unknown as { length: number }).length;
    return sum(item, { text: () => 1, array, scalar: 1 });
  },
  length: lengthOf,
};

interface Weights {
  readonly text: (value: string) => number;
  readonly array: (value: ArrayBufferView) => number;
  readonly scalar: number;
}

function sum(value: unknown, weights: Weights): number {
  if (typeof value === 'string') return weights.text(value);
  if (ArrayBuffer.isView(value)) return weights.array(value);
  if (isTensor(value)) return sum(value.data, weights);
  if (typeof value !== 'object' || value === null) return weights.scalar;
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.reduce<number>((total, member) => total + sum(member, weights), 0);
}

/** The length of an item: of its text or list, or of the longest first axis among its tensors. */
export function lengthOf(item: unknown): number {
  if (item instanceof SerializedItem) return item.measured.length;
  if (typeof item === 'string' || Array.isArray(item)) return item.length;
  if (ArrayBuffer.isView(item)) return item.byteLength;
  if (isTensor(item)) return item.shape[0] ?? 1;
  if (typeof item !== 'object' || item === null) return 1;
  return Object.values(item).reduce<number>((longest, member) => Math.max(longest, lengthOf(member)), 0);
}
