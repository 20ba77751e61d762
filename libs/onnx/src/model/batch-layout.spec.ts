import { describe, expect, it } from 'vitest';
import { batchLayout } from './batch-layout.js';

const value = (name: string, ...shape: (number | null)[]) => ({ name, shape });

describe('the batch axis of a file', () => {
  it('is the first one, where it is free everywhere', () => {
    const inputs = [value('x', null, 3), value('mask', null)];
    expect(batchLayout(inputs, [value('y', null, null)])).toEqual({ isStacked: true });
  });

  it.each([1, 8])('BC-035 may be fixed at %i, which bounds batches', (size) => {
    const layout = batchLayout([value('x', size, 3)], [value('y', null, 2)]);
    expect(layout).toMatchObject({ isStacked: true, fixedSize: size });
    expect(layout.notice).toContain(`'x' fixes the batch axis at ${size}`);
  });

  it.each([
    ['a scalar input', [value('x', null, 3), value('rate')], [value('y', null)], 'rate'],
    ['an output of another length', [value('x', 1, 3)], [value('y', 896, 4)], 'y'],
    ['an output without a shape', [value('x', null, 3)], [value('loss')], 'loss'],
  ])('is none beside %s: each request is a run of its own', (_, inputs, outputs, name) => {
    const layout = batchLayout(inputs, outputs);
    expect(layout).toMatchObject({ isStacked: false });
    expect(layout.notice).toContain(`'${name}' has no batch axis`);
  });

  it('is what the operator says, where the file does not tell', () => {
    expect(batchLayout([value('image', 3, 8, 8)], [value('y', 3, 8, 8)], false)).toEqual({
      isStacked: false,
    });
    expect(batchLayout([value('x', null, 3)], [value('y')], true)).toEqual({ isStacked: true });
    expect(() => batchLayout([value('x', null), value('rate')], [], true)).toThrow(
      "input 'rate' has no axis",
    );
  });
});
