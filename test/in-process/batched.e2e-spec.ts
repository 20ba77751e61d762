import { batched } from '#batching';
import { expect, it } from 'vitest';

it('batched() makes one batch of parallel calls, without any framework', async () => {
  const batches: number[][] = [];
  const square = batched((numbers: number[]) => {
    batches.push(numbers);
    return numbers.map((number) => number * number);
  });
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  expect(await Promise.all(numbers.map((number) => square(number)))).toEqual(numbers.map((n) => n * n));
  expect(batches).toEqual([numbers]);
});

it('batched() holds the limits that it was given', async () => {
  const sizes: number[] = [];
  let release!: () => void;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const echo = batched(
    async (items: number[]) => {
      sizes.push(items.length);
      await released;
      return items;
    },
    { maxBatchSize: 2, maxQueueSize: 3, concurrency: 1 },
  );
  const first = [1, 2].map((item) => echo(item));
  await new Promise((resolve) => setImmediate(resolve));
  const others = [3, 4, 5, 6].map((item) => echo(item));
  await expect(others[3]).rejects.toMatchObject({ code: 'queue_full' });
  release();
  expect(await Promise.all([...first, ...others.slice(0, 3)])).toEqual([1, 2, 3, 4, 5]);
  expect(sizes).toEqual([2, 2, 1]);
});

it('P2: batched() rejects every caller of a batch with a wrong count', async () => {
  const broken = batched<number, number>((numbers) => numbers.slice(1));
  const results = await Promise.allSettled([1, 2, 3].map((number) => broken(number)));
  for (const result of results) expect(result).toMatchObject({ reason: { code: 'contract_violation' } });
});
