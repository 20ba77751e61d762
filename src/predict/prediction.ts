import type { Codec } from '#codec';
import type { PredictOptions, RequestedItems, ServedModel } from '#model';

/** A prediction request that has been read and checked. */
export interface Prediction extends RequestedItems {
  readonly model: ServedModel;
  /** What was decoded, before the model made items of it. */
  readonly body: unknown;
  readonly requestId: string;
  /** What holds for each of its items. */
  readonly options: PredictOptions;
  /** Milliseconds on the scale of `performance.now()`. */
  readonly arrivedAt: number;
  /** Writes the answer. */
  readonly answerCodec: Codec;
}
