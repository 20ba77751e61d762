import { LOGGER } from '#telemetry';
import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { recordOf } from '../predict/request-record.js';
import { statusOfProblem, toProblem, toServingError } from './problem-details.js';

/** The one way out for errors: every one leaves as `application/problem+json`. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const serving = toServingError(error);
    recordOf(request)?.fail(serving.code);
    if (serving.code === 'internal')
      this.logger.error({ err: error, requestId: request.id }, serving.message);
    if (reply.sent || reply.raw.destroyed) return;
    if (serving.retryAfterSeconds !== undefined) reply.header('retry-after', serving.retryAfterSeconds);
    if (serving.code === 'draining') reply.header('connection', 'close');
    void reply
      .status(statusOfProblem(serving))
      .type('application/problem+json; charset=utf-8')
      .send(JSON.stringify(toProblem(serving, request.id)));
  }
}
