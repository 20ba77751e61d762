import { tensor, type SelfCheck } from '#model';
import { describe, expect, it } from 'vitest';
import { checkAtLoad, type TrialRun } from './load-check.js';

async function check(run: TrialRun, rest: Partial<Parameters<typeof checkAtLoad>[1]> = {}) {
  const sizes: number[] = [];
  const warnings: string[] = [];
  const counted: TrialRun = (values) => {
    sizes.push(values.length);
    return run(values);
  };
  const limit = await checkAtLoad(counted, {
    samples: [1, 2, 3],
    maxBatchSize: 8,
    selfCheck: 'refuse',
    warn: (message) => warnings.push(message),
    ...rest,
  });
  return { limit, sizes, warnings };
}

const double: TrialRun = async (values) => values.map((value) => 2 * Number(value));
const firstRowOnly: TrialRun = async (values) => values.map((value, index) => (index === 0 ? value : 0));
const reversed: TrialRun = async (values) => values.toReversed();
const tooSmall: TrialRun = async (values) => {
  if (values.length > 4) throw new Error('no memory');
  return values;
};

describe('a model that is tried before it serves', () => {
  it('runs each sample alone, and the largest batch of copies and of different ones', async () => {
    expect(await check(double)).toEqual({ limit: 8, sizes: [1, 1, 1, 1, 8, 8], warnings: [] });
  });

  it.each([
    [
      'only the first row is right',
      firstRowOnly,
      'item 1 of a batch of 8 is not what it is alone: the result is 0 in place of 1',
    ],
    [
      'the order is lost',
      reversed,
      'item 0 of a batch of 8 is not what it is alone: the result is 2 in place of 1',
    ],
    ['batches fail', tooSmall, 'a batch of 8 failed: no memory'],
  ])('BC-035 is refused when %s, or limited to single items', async (_, run, fault) => {
    await expect(check(run)).rejects.toThrow(`self-check: ${fault}`);
    const { limit, warnings } = await check(run, { selfCheck: 'limit' });
    expect([limit, warnings]).toEqual([1, [`self-check: ${fault}`]]);
  });

  it.each(['refuse', 'limit'] as SelfCheck[])(
    'is not loadable when a sample fails alone: %s',
    async (selfCheck) => {
      const run: TrialRun = async (values) => values.map(() => new Error('unfit'));
      await expect(check(run, { selfCheck })).rejects.toThrow('self-check: a sample failed: unfit');
    },
  );

  it.each([
    ['is random', () => async (values: readonly unknown[]) => values.map(() => Math.random())],
    [
      'remembers',
      () => {
        let count = 0;
        return async (values: readonly unknown[]) => values.map(() => count++);
      },
    ],
  ])('is only warmed up when it %s', async (_, create) => {
    const { limit, sizes, warnings } = await check(create());
    expect([limit, sizes]).toEqual([8, [1, 1, 1, 1, 1, 8]]);
    expect(warnings[0]).toContain('not possible, since one input gives two results');
  });

  it('is only warmed up when its operator wants no check', async () => {
    expect(await check(firstRowOnly, { selfCheck: 'off' })).toEqual({
      limit: 8,
      sizes: [1, 8],
      warnings: [],
    });
    const { limit, warnings } = await check(tooSmall, { selfCheck: 'off' });
    expect([limit, warnings]).toEqual([8, ['self-check: the warm-up failed: no memory']]);
  });

  it('is not run without samples, nor in batches where it takes none', async () => {
    expect((await check(double, { samples: [] })).sizes).toEqual([]);
    expect((await check(firstRowOnly, { maxBatchSize: 1 })).sizes).toEqual([1, 1, 1, 1]);
    expect((await check(double, { samples: [5] })).sizes).toEqual([1, 1, 8]);
  });

  it('may write into its inputs and use its outputs again', async () => {
    const buffer = new Float32Array(8);
    const run: TrialRun = async (values) =>
      values.map((value, index) => {
        const { data } = value as { data: Float32Array };
        data[0]! += 1;
        buffer[index] = data[0]!;
        return buffer.subarray(index, index + 1);
      });
    const samples = [1, 2].map((n) => tensor('float32', [1], Float32Array.of(n)));
    expect((await check(run, { samples })).warnings).toEqual([]);
    expect(samples.map(({ data }) => data[0])).toEqual([1, 2]);
  });

  it('gets its batches as clients fill them: of one shape, in one buffer', async () => {
    const batches: readonly unknown[][] = [];
    const run: TrialRun = async (values) => {
      (batches as unknown[]).push(values);
      return values.map(() => 0);
    };
    const samples = [1, 2, 1].map((length) => tensor('float32', [length], new Float32Array(length)));
    await check(run, { samples, maxBatchSize: 2 });
    const shapes = batches.map((batch) => batch.map((value) => (value as { shape: number[] }).shape[0]));
    expect(shapes).toEqual([[1], [1], [1], [1, 1], [1, 1]]);
    const buffers = new Set(batches.at(-1)!.map((value) => (value as { data: Float32Array }).data.buffer));
    expect(buffers.size).toBe(1);
  });
});
