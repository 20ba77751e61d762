import { describe, expect, it } from 'vitest';
import { inBatchOrder } from './keyed-results.js';

describe('BC-024 results of a handler that works in an order of its own', () => {
  it('are put into the order of the batch by their ids', () => {
    const batch = ['ccc', 'a', 'bb'];
    const sorted = batch
      .map((text, id) => ({ id, text }))
      .toSorted((one, other) => one.text.length - other.text.length);
    const results = sorted.map(({ id, text }) => ({ id, output: text.toUpperCase() }));
    expect(inBatchOrder(results, batch.length)).toEqual(['CCC', 'A', 'BB']);
    expect(inBatchOrder([], 0)).toEqual([]);
  });

  it.each([
    [[0, 0], 'item 0 has two results'],
    [[0], 'item 1 has no result'],
    [[0, 2], 'there is no item 2 of 2'],
    [[0, -1], 'there is no item -1 of 2'],
    [[0, 0.5], 'there is no item 0.5 of 2'],
  ])('are refused for ids %j', (ids, message) => {
    const results = ids.map((id) => ({ id, output: 'x' }));
    expect(() => inBatchOrder(results, 2)).toThrow(
      expect.objectContaining({ code: 'contract_violation', message }),
    );
  });
});
