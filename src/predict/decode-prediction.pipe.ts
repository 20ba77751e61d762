import { readRequestHeaders } from '#admission';
import { assertNotEncoded, Codecs, type Codec } from '#codec';
import { modelOfRequest } from '#model';
import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BodyThreads } from './body/body-threads.js';
import type { Prediction } from './prediction.js';
import { recordOf } from './request-record.js';

const NO_BODY = Buffer.alloc(0);

/** Reads and checks the body of a request that has been admitted. */
@Injectable()
export class DecodePredictionPipe implements PipeTransform<FastifyRequest, Prediction | Promise<Prediction>> {
  constructor(
    @Inject(Codecs) private readonly codecs: Codecs,
    @Inject(BodyThreads) private readonly threads: BodyThreads,
  ) {}

  transform(request: FastifyRequest): Prediction | Promise<Prediction> {
    const { headers } = request;
    assertNotEncoded(headers['content-encoding']);
    const codec = this.codecs.forContentType(headers['content-type']);
    const bytes = (request.body as Buffer<ArrayBuffer> | undefined) ?? NO_BODY;
    recordOf(request)!.bodyParsed();
    if (this.threads.isLargeBody(codec, bytes)) return this.#decodeInThread(request, codec, bytes);
    return this.#toPrediction(request, codec, codec.decode(bytes));
  }

  async #decodeInThread(
    request: FastifyRequest,
    codec: Codec,
    bytes: Buffer<ArrayBuffer>,
  ): Promise<Prediction> {
    const model = modelOfRequest(request)!;
    const giveBack = model.holdPlace();
    try {
      return this.#toPrediction(request, codec, await this.threads.decode(codec, bytes, model.input));
    } finally {
      giveBack();
    }
  }

  #toPrediction(request: FastifyRequest, codec: Codec, body: unknown): Prediction {
    const { headers, id: requestId } = request;
    const { arrivedAt, signal } = recordOf(request)!;
    const model = modelOfRequest(request)!;
    const { timeoutMs, priority } = readRequestHeaders(headers);
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
