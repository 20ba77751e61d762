import { tensor } from '#model';
import { describe, expect, it } from 'vitest';
import { topLabels } from './top-labels.js';

describe('the top labels', () => {
  it('are those with the highest scores, the lower index first', () => {
    const scores = tensor('float32', [4], Float32Array.of(0.25, 0.5, 0.5, -1));
    expect(topLabels(scores, ['a', 'b', 'c', 'd'], 3)).toEqual([
      { label: 'b', index: 1, score: 0.5 },
      { label: 'c', index: 2, score: 0.5 },
      { label: 'a', index: 0, score: 0.25 },
    ]);
  });

  it.each([
    ['float16', tensor('float16', [2], Uint16Array.of(0xbc00, 0x3c00))],
    ['int64', tensor('int64', [2], BigInt64Array.of(-1n, 1n))],
  ])('read %s as numbers', (_, scores) => {
    expect(topLabels(scores, ['a', 'b'], 9).map(({ label, score }) => [label, score])).toEqual([
      ['b', 1],
      ['a', -1],
    ]);
  });
});
