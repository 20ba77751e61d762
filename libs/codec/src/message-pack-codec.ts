import { ServingError } from '#model';
import { Packr } from 'msgpackr';
import type { Codec } from './codec.js';
import { toMessagePackValue } from './value/message-pack-value.js';
import { assertPlain } from './value/plain-value.js';

/**
 * MessagePack without extensions, which any client reads. A tensor travels as `{ dtype, shape, data }` with
 * its elements as little-endian bytes in `data`.
 */
export class MessagePackCodec implements Codec {
  readonly mediaType = 'application/msgpack';
  readonly #packr = new Packr({
    useRecords: false,
    encodeUndefinedAsNil: true,
    // Integers of 8 bytes are numbers where a number can hold them: many encoders know no other width.
    int64AsType: 'auto' as 'number',
  });

  decode(body: Buffer): unknown {
    try {
      const value: unknown = this.#packr.unpack(body);
      assertPlain(value, body);
      return value;
    } catch (error) {
      const reason = body.length === 0 ? 'it is empty' : (error as Error).message;
      throw new ServingError('unreadable_body', `the body is not MessagePack: ${reason}`);
    }
  }

  encode(value: unknown): Buffer {
    return this.#packr.pack(toMessagePackValue(value));
  }
}
