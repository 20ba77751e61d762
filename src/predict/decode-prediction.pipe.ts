import { Codecs } from '#codec';
import { modelOfRequest, ServingError } from '#model';
import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Prediction } from './prediction.js';
import { recordOf } from './request-record.js';

/** Reads and checks the body of a request that has been admitted. */
@Injectable()
export class DecodePredictionPipe implements PipeTransform<FastifyRequest, Prediction> {
  constructor(@Inject(Codecs) private readonly codecs: Codecs) {}

  transform(request: FastifyRequest): Prediction {
    const { headers, body } = request;
    const { arrivedAt, signal } = recordOf(request)!;
    const model = modelOfRequest(request)!;
    const timeoutMs = readTimeout(headers['x-request-timeout'], performance.now() - arrivedAt);
    assertNotEncoded(headers['content-encoding']);
    const codec = this.codecs.forContentType(headers['content-type']);
    const { data, parameters } = model.validate(
      codec.decode((body as Buffer | undefined) ?? Buffer.alloc(0)),
    );
    const answerCodec = this.codecs.forAccept(headers.accept, codec);
    return { model, data, parameters, requestId: request.id, timeoutMs, signal, arrivedAt, answerCodec };
  }
}

/** The body limit counts bytes as they arrive: a compressed body would slip past it. */
function assertNotEncoded(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'identity') return;
  const message = `bodies must be sent without a content encoding, not as ${encoding}`;
  throw new ServingError('unsupported_content_encoding', message);
}

function readTimeout(header: string | string[] | undefined, elapsedMs: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header);
  if (!(seconds > 0) || !Number.isFinite(seconds)) {
    throw new ServingError(
      'invalid_header',
      `X-Request-Timeout must be a number of seconds above 0, not '${String(header)}'`,
    );
  }
  return seconds * 1000 - elapsedMs;
}
