import { serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { plainItem, SerializedItem } from '../directory/serialized-item.js';
import { tensor } from '../tensor/tensor.js';
import { lengthOf, MEASURES } from './item-measures.js';

const row = (length: number) => tensor('float32', [length], new Float32Array(length));

describe('what an item costs', () => {
  it.each([
    ['bytes', 'é', 2],
    ['bytes', { x: row(3), text: 'ab', n: 1 }, 12 + 2 + 8],
    ['elements', { x: row(3), list: [1, 2] }, 5],
    ['length', 'four', 4],
    ['length', { ids: row(7), mask: row(7) }, 7],
  ] as const)('in %s: %j costs %d', (measure, item, cost) => {
    expect(MEASURES[measure](item)).toBe(cost);
  });

  it('has a length for anything', () => {
    expect([lengthOf(null), lengthOf(5), lengthOf([]), lengthOf(new Uint8Array(9))]).toEqual([1, 1, 0, 9]);
  });

  it('is known of a serialized item without reading it', () => {
    const item = new SerializedItem(serialize('ab'), { bytes: 20, elements: 30, length: 40 });
    expect(Object.values(MEASURES).map((measure) => measure(item))).toEqual([20, 30, 40]);
    expect([plainItem(item), plainItem('ab')]).toEqual(['ab', 'ab']);
  });
});
