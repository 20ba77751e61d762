import { ServingError } from '#model';

/** Answers each item as the item says. */
export async function obey(batch: readonly string[]): Promise<unknown> {
  if (batch.includes('throw')) throw new Error('secret path /etc');
  if (batch.includes('throw nothing')) throw Object.create(null);
  if (batch.includes('too few')) return batch.slice(1);
  if (batch.includes('text')) return 'text';
  return batch.map((item) => {
    if (item === 'fail') return new ServingError('invalid_input', 'not this one');
    return item === 'function' ? () => item : `did ${item}`;
  });
}
