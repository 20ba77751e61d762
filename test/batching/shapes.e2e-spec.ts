import { afterAll, describe, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const server = await startServer({
  models: {
    eager: { module: fixture('tensors'), function: 'shapes' },
    'other-lengths': { module: fixture('tensors'), function: 'shapes' },
    full: {
      module: fixture('tensors'),
      function: 'shapes',
      window: 'fixed',
      max_wait_time: 8,
      max_batch_size: 4,
    },
    named: { module: fixture('tensors'), function: 'namedShapes' },
  },
});
afterAll(() => stopAndCheck(server));

interface Seen {
  readonly seen: readonly (readonly number[])[];
  readonly first: number | null;
}

async function shapesSeen(model: string, length: number, first = 0): Promise<Seen> {
  const data = Array.from({ length }, (_, index) => (index === 0 ? first : 0));
  const { status, body } = await server.predict<Seen>(model, data);
  expect(status).toBe(200);
  return body.result;
}

describe('P3: items of different shapes', () => {
  it('never share a batch', async () => {
    const lengths = Array.from({ length: 60 }, (_, index) => 1 + (index % 3));
    const answers = await Promise.all(lengths.map((length, index) => shapesSeen('eager', length, index)));
    answers.forEach(({ seen, first }, index) => {
      expect(first).toBe(index);
      expect(new Set(seen.flat())).toEqual(new Set([lengths[index]]));
    });
    expect(Math.max(...answers.map(({ seen }) => seen.length))).toBeGreaterThan(1);
  });

  it('fill batches of their own', async () => {
    const lengths = [2, 3, 2, 3, 2, 3, 2, 3];
    const answers = await Promise.all(lengths.map((length) => shapesSeen('full', length)));
    answers.forEach(({ seen }, index) => {
      expect(seen).toEqual([0, 1, 2, 3].map(() => [lengths[index]]));
    });
  });

  it('do not hold up a full batch of another shape', async () => {
    const client = new AbortController();
    const alone = server.predict('full', [1, 2, 3, 4, 5], { signal: client.signal }).catch(() => 'left');
    await server.untilMetrics('one waits alone', (metrics) => metrics.queueSize('full') === 1);
    const answers = await Promise.all([7, 7, 7, 7].map((length) => shapesSeen('full', length)));
    expect(answers[0]!.seen).toEqual([[7], [7], [7], [7]]);
    expect((await server.metrics()).queueSize('full')).toBe(1);
    client.abort();
    expect(await alone).toBe('left');
  });

  it('never share a batch where any of several tensors differs', async () => {
    const pairs = Array.from({ length: 40 }, (_, index) => [1 + (index % 2), 1 + (index % 3)] as const);
    const answers = await Promise.all(
      pairs.map(([left, right]) =>
        server.predict<Seen>('named', {
          left: Array.from({ length: left }, () => 0),
          right: Array.from({ length: right }, () => 0),
        }),
      ),
    );
    answers.forEach(({ body }, index) => {
      const [left, right] = pairs[index]!;
      for (const seen of body.result.seen) expect(seen).toEqual([[left], [right]]);
    });
  });

  it('BC-031: nothing is shared between two models with the same input', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0 ? shapesSeen('eager', 4, index) : shapesSeen('other-lengths', 5, index),
      ),
    );
    answers.forEach(({ seen, first }, index) => {
      expect(first).toBe(index);
      expect(new Set(seen.flat())).toEqual(new Set([index % 2 === 0 ? 4 : 5]));
    });
  });

  it('BC-038: an empty tensor is an item like any other', async () => {
    expect(await shapesSeen('eager', 0)).toEqual({ seen: [[0]], first: null });
  });
});
