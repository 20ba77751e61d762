import type { Codec } from '#codec';
import type { ServedModel } from '#model';

/** A prediction request that has been read and checked. */
export interface Prediction {
  readonly model: ServedModel;
  readonly data: unknown;
  readonly parameters: Record<string, unknown>;
  readonly requestId: string;
  /** Time that is left, in milliseconds; `undefined` for the model's own limit. */
  readonly timeoutMs: number | undefined;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** Milliseconds on the scale of `performance.now()`. */
  readonly arrivedAt: number;
  /** Writes the answer. */
  readonly answerCodec: Codec;
}
