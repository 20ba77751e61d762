import { Codecs, JsonCodec } from '#codec';
import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';

const JSON_CODEC = new JsonCodec();

/** Writes what a handler returns as `Accept` wants it: JSON or MessagePack. */
@Injectable()
export class AdminAnswerInterceptor implements NestInterceptor {
  constructor(@Inject(Codecs) private readonly codecs: Codecs) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { accept } = http.getRequest<FastifyRequest>().headers;
    const codec = this.codecs.forAccept(accept, JSON_CODEC);
    return next.handle().pipe(
      map((answer) => {
        void http.getResponse<FastifyReply>().type(codec.mediaType);
        return codec.encode(answer);
      }),
    );
  }
}
