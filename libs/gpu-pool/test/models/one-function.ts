/** A model file as a beginner writes it: one function, and things beside it that are no models. */
export const LABELS = ['cat', 'dog'];

export class Input {
  text = '';
}

export function echo(batch: unknown[]): unknown[] {
  return batch;
}
