import { markBatchedHandler, tensorSchema } from '#model';

const ANSWER = { digit: 7, probabilities: Array.from({ length: 10 }, () => 0.1) };

/**
 * The digits model without its network: the same input, checked alike, and an answer of the same size. It shows
 * what the server can do at most; a no-op that sends every pixel back pays for that besides.
 */
export default markBatchedHandler((batch: unknown[]): unknown[] => batch.map(() => ANSWER), {
  name: 'digits-no-op',
  maxBatchSize: 64,
  input: {
    type: 'object',
    required: ['pixels'],
    properties: { pixels: tensorSchema('float32', [784]) },
    additionalProperties: false,
  },
});
