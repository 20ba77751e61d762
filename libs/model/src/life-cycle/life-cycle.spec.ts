import { describe, expect, it, vi } from 'vitest';
import { tensor } from '../tensor/tensor.js';
import { BatchedModel } from './batched-model.js';
import { lifeCycleOf } from './life-cycle-hooks.js';
import { splitOutput } from './split-output.js';
import { stackInputs } from './stack-inputs.js';

describe('which providers have a life cycle', () => {
  const decode = (request: unknown) => request;
  async function* generate(batch: string[]) {
    yield batch;
  }

  it('those that have hooks beside predict', () => {
    const provider = { decode, predict: () => [] };
    expect(lifeCycleOf(provider, 'predict')).toBe(provider);
    expect(lifeCycleOf({ predict: () => [] }, 'predict')).toBeUndefined();
    expect(lifeCycleOf({ decode: 'utf8', predict: () => [] }, 'predict')).toBeUndefined();
  });

  it('not those whose handler has another name', () => {
    expect(lifeCycleOf({ decode, run: () => [] }, 'run')).toBeUndefined();
  });

  it('those that have hooks beside an async generator called generate', () => {
    expect(lifeCycleOf({ decode, generate }, 'generate')).toBeDefined();
    expect(lifeCycleOf({ decode, generate: () => [] }, 'generate')).toBeUndefined();
  });

  it('those that extend BatchedModel, also that of another copy of this package', async () => {
    vi.resetModules();
    const copy = await import('./batched-model.js');
    class Foreign extends copy.BatchedModel {
      predict(batch: unknown): unknown {
        return batch;
      }
    }
    expect(copy.BatchedModel).not.toBe(BatchedModel);
    expect(lifeCycleOf(new Foreign(), 'anything')).toBeInstanceOf(Foreign);
  });
});

describe('joining inputs to a batch', () => {
  it('stacks tensors, typed arrays and numbers', () => {
    const row = tensor('int8', [2], Int8Array.of(1, 2));
    expect(stackInputs([row, row])).toEqual(tensor('int8', [2, 2], Int8Array.of(1, 2, 1, 2)));
    expect(stackInputs([Uint16Array.of(1), Uint16Array.of(2)])).toEqual(
      tensor('uint16', [2, 1], Uint16Array.of(1, 2)),
    );
    expect(stackInputs([1, 2.5])).toEqual(tensor('float64', [2], Float64Array.of(1, 2.5)));
  });

  it.each([
    ['nothing', []],
    ['texts', ['a', 'b']],
    ['numbers and others', [1, '2']],
    ['tensors of two lengths', [Float32Array.of(1), Float32Array.of(1, 2)]],
    ['tensors of two dtypes', [Float32Array.of(1), Float64Array.of(1)]],
    ['a tensor and others', [Float32Array.of(1), null]],
  ])('leaves %s the list that it is', (_, inputs) => {
    expect(stackInputs(inputs)).toBe(inputs);
  });
});

describe('splitting the output of a batch', () => {
  it('gives one part an item', () => {
    expect(splitOutput(tensor('int8', [2, 1], Int8Array.of(3, 4)))).toEqual([
      tensor('int8', [1], Int8Array.of(3)),
      tensor('int8', [1], Int8Array.of(4)),
    ]);
    expect(splitOutput(tensor('float32', [2], Float32Array.of(1, 2)))).toEqual([1, 2]);
    expect(splitOutput(BigInt64Array.of(5n, 6n))).toEqual([5n, 6n]);
    expect(splitOutput(tensor('string', [2], ['a', 'b']))).toEqual(['a', 'b']);
  });

  it.each([
    ['a list', [1]],
    ['a scalar', tensor('int8', [], Int8Array.of(1))],
    ['an object', { a: [1] }],
  ])('leaves %s to the check of results', (_, output) => {
    expect(splitOutput(output)).toBe(output);
  });

  it('undoes what joining has done', () => {
    const inputs = [1, 2, 3].map((n) => tensor('float32', [2], Float32Array.of(n, -n)));
    expect(splitOutput(stackInputs(inputs))).toEqual(inputs);
  });
});
