import { isTensor, type BuiltInCost } from '#model';

/** Measures one item. */
export type Measure = (item: unknown) => number;

/** The measure of this name. */
export const MEASURES: Readonly<Record<BuiltInCost, Measure>> = {
  bytes: (item) =>
    sum(item, {
      text: (value) => Buffer.byteLength(value),
      array: ({ byteLength }) => byteLength,
      // A number or a flag counts as the eight bytes of a JavaScript number.
      scalar: 8,
    }),
  elements: (item) =>
    sum(item, {
      text: () => 1,
      array: (value) => (value as unknown as { length: number }).length,
      scalar: 1,
    }),
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
  if (typeof item === 'string' || Array.isArray(item)) return item.length;
  if (ArrayBuffer.isView(item)) return item.byteLength;
  if (isTensor(item)) return item.shape[0] ?? 1;
  if (typeof item !== 'object' || item === null) return 1;
  return Object.values(item).reduce<number>((longest, member) => Math.max(longest, lengthOf(member)), 0);
}
