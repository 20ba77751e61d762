import { assertNotEncoded, Codecs } from '#codec';
import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

const NO_BODY = Buffer.alloc(0);

/** Reads the body of a request, JSON or MessagePack, from the bytes that it came as. */
@Injectable()
export class DecodeBodyPipe implements PipeTransform<FastifyRequest, unknown> {
  constructor(@Inject(Codecs) private readonly codecs: Codecs) {}

  /** @throws {ServingError} `unsupported_media_type`, `unsupported_content_encoding`, `unreadable_body` */
  transform({ headers, body }: FastifyRequest): unknown {
    assertNotEncoded(headers['content-encoding']);
    const codec = this.codecs.forContentType(headers['content-type']);
    return codec.decode((body as Buffer | undefined) ?? NO_BODY);
  }
}
