import { ServingError } from '#model';
import Negotiator from 'negotiator';
import type { Codec } from './codec.js';
import { JsonCodec } from './json-codec.js';
import { MessagePackCodec } from './message-pack-codec.js';

/** Other names in use for the same formats. */
const ALIASES: Readonly<Record<string, string>> = {
  'application/x-msgpack': 'application/msgpack',
  'application/vnd.msgpack': 'application/msgpack',
};

/** Chooses the codec of a body by its headers. */
export class Codecs {
  readonly #codecs: ReadonlyMap<string, Codec>;
  readonly #mediaTypes: string[];

  constructor(codecs: readonly Codec[] = [new JsonCodec(), new MessagePackCodec()]) {
    this.#codecs = new Map(codecs.map((codec) => [codec.mediaType, codec]));
    this.#mediaTypes = [...this.#codecs.keys(), ...Object.keys(ALIASES)];
  }

  /**
   * The codec that reads a body of this `Content-Type`. A body without one is taken for JSON.
   *
   * @throws {ServingError} `unsupported_media_type`, naming the ones that are
   */
  forContentType(contentType: string | undefined): Codec {
    const codec = this.#find(mediaTypeOf(contentType ?? 'application/json'));
    if (codec !== undefined) return codec;
    const known = [...this.#codecs.keys()].join(' and ');
    throw new ServingError('unsupported_media_type', `${known} are supported, not '${contentType}'`);
  }

  /**
   * The codec that writes an answer for this `Accept`. Where it leaves the choice, or can't be met, the answer
   * is written as the request was.
   */
  forAccept(accept: string | undefined, request: Codec): Codec {
    if (accept === undefined || accept === '*/*') return request;
    const named = this.#find(accept);
    if (named !== undefined) return named;
    const preferred = [request.mediaType, ...this.#mediaTypes];
    const [chosen] = new Negotiator({ headers: { accept } }).mediaTypes(preferred);
    return (chosen === undefined ? undefined : this.#find(chosen)) ?? request;
  }

  #find(mediaType: string): Codec | undefined {
    return this.#codecs.get(ALIASES[mediaType] ?? mediaType);
  }
}

function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}
