import { ServingError } from '#model';
import { Packr } from 'msgpackr';
import type { Codec } from './codec.js';
import { toMessagePackValue } from './value/message-pack-value.js';

/**
 * MessagePack without extensions, which any client reads. A tensor travels as `{ dtype, shape, data }` with
 * its elements as little-endian bytes in `data`.
 */
export class MessagePackCodec implements Codec {
  readonly mediaType = 'application/msgpack';
  readonly #packr = new Packr({ useRecords: false, encodeUndefinedAsNil: true });

  decode(body: Buffer): unknown {
    try {
      return this.#packr.unpack(body);
    } catch (error) {
      const reason = body.length === 0 ? 'it is empty' : (error as Error).message;
      throw new ServingError('unreadable_body', `the body is not MessagePack: ${reason}`);
    }
  }

  encode(value: unknown): Buffer {
    return this.#packr.pack(toMessagePackValue(value));
  }
}
