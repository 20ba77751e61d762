import { setModelOfRequest } from '#model';
import type { ModelRegistry } from '#registry';
import type { InferenceMetrics } from '#telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RequestRecord, setRecord } from './request-record.js';

/** Marks routes whose requests are counted as predictions. */
export const PREDICTION_ROUTE = 'smartbatchPrediction';

type PredictionRequest = FastifyRequest<{ Params: { name: string }; Querystring: { version?: string } }>;

/**
 * Counts every prediction request exactly once on its way in and once on its way out, however it ends: also
 * those that are refused before any of Nest's code runs.
 */
export function trackPredictions(
  fastify: FastifyInstance,
  registry: ModelRegistry,
  metrics: InferenceMetrics,
): void {
  fastify.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    reply.header('x-request-id', request.id);
    if (PREDICTION_ROUTE in request.routeOptions.config) {
      const { params, query } = request as PredictionRequest;
      const model = registry.find(params.name, query.version, request);
      if (model !== undefined) {
        setModelOfRequest(request, model);
        reply.header('x-model-version', model.version);
      }
      const record = new RequestRecord(model?.metrics ?? metrics.unknown);
      setRecord(request, record);
      // The request stream closes after any POST whose body was read; only the response tells who has left.
      reply.raw.once('close', () => record.close(reply.raw.writableFinished));
    }
    done();
  });
}
