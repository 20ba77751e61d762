import { isUtf8 } from 'node:buffer';
import { ServingError } from '#model';
import type { Codec } from './codec.js';
import { toJsonValue } from './value/json-value.js';

/** JSON, in UTF-8. */
export class JsonCodec implements Codec {
  readonly mediaType = 'application/json';

  decode(body: Buffer): unknown {
    // toString() would put replacement characters in place of what it cannot read.
    if (!isUtf8(body)) throw new ServingError('unreadable_body', 'the body is not JSON: it is not UTF-8');
    try {
      return JSON.parse(body.toString('utf8'));
    } catch (error) {
      const reason = body.length === 0 ? 'it is empty' : (error as Error).message;
      throw new ServingError('unreadable_body', `the body is not JSON: ${reason}`);
    }
  }

  encode(value: unknown): string {
    return JSON.stringify(toJsonValue(value));
  }
}
