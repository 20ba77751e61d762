import { readRequestHeaders } from '#admission';
import { modelOfRequest } from '#model';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A body up to this size comes with the first packets: to read it costs nothing. */
const LARGE_BYTES = 64 * 1024;

/** Time that a refused client has to stop sending, in milliseconds. */
const LINGER_MS = 10_000;

/**
 * Refuses requests with large bodies before they are read, for the reasons for which the guard and the interceptor
 * would refuse them after. Those look again when the body is there.
 *
 * What a refused client sends all the same is thrown away as it comes, so that it can read its answer and use the
 * connection again: to close it at once would reset it, and the answer could be lost on the way. A client that asks
 * first (`Expect: 100-continue`) does not send at all.
 */
export function refuseBeforeBody(fastify: FastifyInstance): void {
  // Node would tell the client to go on before anybody has looked at the request.
  fastify.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    fastify.server.emit('request', request, response);
  });
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    try {
      if (isLarge(request)) assertWelcome(request);
    } catch (error) {
      leaveBody(request, reply);
      done(error as Error);
      return;
    }
    if (request.headers.expect !== undefined) reply.raw.writeContinue();
    done(null, payload);
  });
}

function isLarge({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) > LARGE_BYTES;
}

/** @throws {ServingError} as the guard and the interceptor would */
function assertWelcome(request: FastifyRequest): void {
  const model = modelOfRequest(request);
  if (model === undefined) return;
  model.assertAdmits(1, readRequestHeaders(request.headers));
  model.assertBreakerCloses();
}

/** Lets go of a request that is answered without its body having been read. */
export function leaveBody({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  // Whether this client sends its body now is not known, and so neither is where its next request begins.
  if (headers.expect !== undefined) reply.header('connection', 'close');
  reply.raw.once('finish', () => {
    if (raw.complete) return;
    const timer = setTimeout(() => raw.socket.destroy(), LINGER_MS).unref();
    raw.once('close', () => clearTimeout(timer));
  });
}
