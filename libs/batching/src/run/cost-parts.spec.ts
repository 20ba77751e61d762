import { describe, expect, it } from 'vitest';
import { runHandler } from './handler-run.js';
import { RunContext } from './run-context.js';

const OWNER = { workerId: 0, device: 'cpu', model: 'm', version: '1' };

async function run(values: readonly unknown[], cost: (item: never) => number) {
  const batches: unknown[][] = [];
  const handle = (batch: never[]) => {
    batches.push([...batch]);
    return batch;
  };
  const items = values.map((_, index) => ({ requestId: `r${index}`, parameters: {}, deadline: 0 }));
  const handler = { handle, bound: { cost, maxBatchCost: 10 } };
  return { results: await runHandler(handler, values, new RunContext(OWNER, items)), batches };
}

describe("a model's own cost function", () => {
  it('divides a batch that is above the limit, and keeps the order', async () => {
    const { results, batches } = await run([4, 5, 6, 1, 9], (n: number) => n);
    expect(results).toEqual([4, 5, 6, 1, 9]);
    expect(batches).toEqual([[4, 5], [6, 1], [9]]);
  });

  it('refuses an item that alone is above the limit, and runs the others', async () => {
    const { results, batches } = await run([4, 11, 5], (n: number) => n);
    expect(results[1]).toMatchObject({ code: 'cost_too_large', status: 413 });
    expect(batches).toEqual([[4, 5]]);
  });

  it('BC-011 refuses only the item at which it throws', async () => {
    const { results } = await run(['ok', null, 'ok'], (text: string) => text.length);
    expect(results[0]).toBe('ok');
    expect(results[1]).toMatchObject({ code: 'invalid_input' });
    expect(results[2]).toBe('ok');
  });

  it('refuses an item whose cost is no number', async () => {
    const { results } = await run([1, 2], (n: number) => (n === 1 ? NaN : n));
    expect(results[0]).toMatchObject({ code: 'invalid_input' });
    expect(results[1]).toBe(2);
  });
});
