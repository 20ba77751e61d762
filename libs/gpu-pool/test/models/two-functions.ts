import { markBatchedHandler } from '#model';

export const first = markBatchedHandler((batch: unknown[]) => batch.map(() => 1), {
  name: 'marked',
  maxBatchSize: 7,
});

export function second(batch: unknown[]): unknown[] {
  return batch.map(() => 2);
}

export const LIMIT = 5;
