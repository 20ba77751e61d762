import { AdmissionGuard } from '#admission';
import { CircuitBreakerInterceptor } from '#circuit-breaker';
import { JsonCodec } from '#codec';
import { ServingError, type ItemStream } from '#model';
import { Controller, HttpCode, Post, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { ForClients } from '../access/audience.js';
import { DecodePredictionPipe } from './decode-prediction.pipe.js';
import { HttpRequest } from './http-request.decorator.js';
import type { Prediction } from './prediction.js';
import { recordOf } from './request-record.js';
import { PREDICTION_ROUTE } from './request-tracking.js';
import { serverSentEvents } from './server-sent-events.js';

/** Time that a client has, once its stream has ended, to take what was written, in milliseconds. */
const FLUSH_MS = 10_000;

/** `POST /models/{name}/stream`: the tokens of one item as Server-Sent Events. */
@ApiExcludeController()
@ForClients()
@Controller('models')
export class StreamController {
  readonly #codec = new JsonCodec();

  @Post(':name/stream')
  @HttpCode(200)
  @RouteConfig({ [PREDICTION_ROUTE]: true })
  @UseGuards(AdmissionGuard)
  @UseInterceptors(CircuitBreakerInterceptor)
  async stream(
    @HttpRequest(DecodePredictionPipe) prediction: Prediction,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { model, items, isList, options, requestId } = prediction;
    if (isList) throw onlyOneItem();
    const stream = model.stream(items[0], options);
    boundFlush(stream, reply);
    // An error before the first token is still answered with its own status.
    const first = await stream.next();
    const record = recordOf(reply.request)!;
    const events = serverSentEvents({ first, stream, codec: this.#codec, requestId, record });
    // In bytes and with the lowest mark, so that a socket that is full stops the model and not only the socket.
    const body = Readable.from(events, { objectMode: false, highWaterMark: 1 });
    await reply
      .type('text/event-stream')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .send(body);
  }
}

/** A client that takes nothing must not keep its request open for ever. */
function boundFlush(stream: ItemStream, reply: FastifyReply): void {
  stream.onEnded = () => {
    if (reply.raw.closed) return;
    const timer = setTimeout(() => reply.raw.destroy(), FLUSH_MS);
    reply.raw.once('close', () => clearTimeout(timer));
  };
}

function onlyOneItem(): ServingError {
  return new ServingError('invalid_input', '/inputs cannot be streamed: send one item as data', {
    faults: [{ field: '/inputs', message: 'cannot be streamed: send one item as data' }],
  });
}
