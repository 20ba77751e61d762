import { ClientLimiter, type ClientLimits } from '#admission';
import { callerOfRequest } from '#model';
import type { FastifyInstance } from 'fastify';
import { leaveBody } from '../predict/early-refusal.js';
import { recordOf } from '../predict/request-record.js';
import type { Credential } from './credentials.js';

/** Keeps clients that have limits within them, before their bodies are read. Only predictions count. */
export function limitClients(fastify: FastifyInstance, clients: readonly Credential[]): void {
  const limits = new Map<string, ClientLimits>();
  for (const client of clients) if (client.limits !== undefined) limits.set(client.name, client.limits);
  if (limits.size === 0) return;
  const limiter = new ClientLimiter(limits, () => performance.now());
  fastify.addHook('onRequest', (request, reply, done) => {
    const caller = callerOfRequest(request);
    if (caller?.role !== 'client' || recordOf(request) === undefined) {
      done();
      return;
    }
    try {
      reply.raw.once('close', limiter.enter(caller.name));
      done();
    } catch (error) {
      leaveBody(request, reply);
      done(error as Error);
    }
  });
}
