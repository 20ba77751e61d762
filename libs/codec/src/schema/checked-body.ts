import { plainItem } from '#model';
import type { PredictEnvelope } from './predict-envelope.js';

/** A body that has been decoded and checked elsewhere. Its items may be serialized. */
export class CheckedBody {
  /**
   * @param description of one item, as JSON, that it was checked against
   */
  constructor(
    readonly description: string,
    readonly envelope: PredictEnvelope,
  ) {}

  /** The body as it was before, for another check. */
  restore(): object {
    const { items, isList, parameters } = this.envelope;
    const plain = items.map(plainItem);
    return isList ? { inputs: plain, parameters } : { data: plain[0], parameters };
  }
}
