import { ServingError } from '#model';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { toProblem } from './problem-details.js';

/** Answers what Fastify refuses before it knows a route, and so before any filter of Nest's. */
export function answerFrameworkError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const serving =
    error.statusCode === 414
      ? new ServingError('url_too_long', 'a part of the path is longer than any name of a model')
      : new ServingError('invalid_url', 'the URL is not valid UTF-8 behind its percent signs');
  void reply
    .status(serving.status)
    .header('x-request-id', request.id)
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(toProblem(serving, request.id)));
}
