import { assertNotEncoded, Codecs } from '#codec';
import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

const NO_BODY = Buffer.alloc(0);

const decoded = new WeakMap<FastifyRequest, unknown>();

/** What a request's body was read as; `undefined` where it was not. */
export function decodedBodyOf(request: FastifyRequest): unknown {
  return decoded.get(request);
}

/** Reads the body of a request, JSON or MessagePack, from the bytes that it came as. */
@Injectable()
export class DecodeBodyPipe implements PipeTransform<FastifyRequest, unknown> {
  constructor(@Inject(Codecs) private readonly codecs: Codecs) {}

  /** @throws {ServingError} `unsupported_media_type`, `unsupported_content_encoding`, `unreadable_body` */
  transform(request: FastifyRequest): unknown {
    const { headers, body } = request;
    assertNotEncoded(headers['content-encoding']);
    const codec = this.codecs.forContentType(headers['content-type']);
    const value: unknown = codec.decode((body as Buffer | undefined) ?? NO_BODY);
    decoded.set(request, value);
    return value;
  }
}
