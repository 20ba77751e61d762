import { readRequestHeaders } from '#admission';
import { assertNotEncoded, Codecs } from '#codec';
import { modelOfRequest } from '#model';
import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Prediction } from './prediction.js';
import { recordOf } from './request-record.js';

const NO_BODY = Buffer.alloc(0);

/** Reads and checks the body of a request that has been admitted. */
@Injectable()
export class DecodePredictionPipe implements PipeTransform<FastifyRequest, Prediction> {
  constructor(@Inject(Codecs) private readonly codecs: Codecs) {}

  transform(request: FastifyRequest): Prediction {
    const { headers, id: requestId } = request;
    const record = recordOf(request)!;
    const { arrivedAt, signal } = record;
    const model = modelOfRequest(request)!;
    const { timeoutMs, priority } = readRequestHeaders(headers);
    assertNotEncoded(headers['content-encoding']);
    const codec = this.codecs.forContentType(headers['content-type']);
    record.bodyParsed();
    const body = codec.decode((request.body as Buffer | undefined) ?? NO_BODY);
    const requested = model.validate(body);
    return {
      model,
      body,
      requestId,
      items: requested.items,
      isList: requested.isList,
      parameters: requested.parameters,
      options: {
        requestId,
        parameters: requested.parameters,
        priority,
        signal,
        // The client's clock has been running since the request arrived.
        timeoutMs: timeoutMs - (performance.now() - arrivedAt),
      },
      arrivedAt,
      answerCodec: this.codecs.forAccept(headers.accept, codec),
    };
  }
}
