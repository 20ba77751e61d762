import { ModelRegistry } from '#registry';
import { InferenceMetrics, NestLogger } from '#telemetry';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { AccessControl } from './access/access-control.js';
import { guardRoutes } from './access/guard-routes.js';
import { limitClients } from './access/limit-clients.js';
import { AppModule } from './app.module.js';
import type { Settings } from './config/load-settings.js';
import { loadWindows } from './config/window-sources.js';
import { answerFrameworkError } from './errors/framework-errors.js';
import { setUpDocs } from './docs/set-up-docs.js';
import { refuseBeforeBody } from './predict/early-refusal.js';
import { recordOf } from './predict/request-record.js';
import { trackPredictions } from './predict/request-tracking.js';

/** Above what a name may have, so that one that is too long is refused as any other that is none. */
const LONGEST_PARAMETER = 512;

/** A client's own request id is taken over when it is printable and short enough for logs and headers. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * Makes the server, ready to listen.
 *
 * @throws {SettingError} when a window policy of the configuration cannot be loaded
 */
export async function createServer(settings: Settings, logger: Logger): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: settings.body_limit,
    genReqId: requestId,
    requestIdHeader: false,
    // Idle keep-alive connections would hold up the end; what was admitted is answered before they are closed.
    forceCloseConnections: true,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    frameworkErrors: answerFrameworkError,
  });
  const windows = await loadWindows(settings.windows);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(settings, windows, logger),
    adapter,
    {
      logger: new NestLogger(logger),
      bodyParser: false,
      abortOnError: false,
    },
  );
  const fastify = adapter.getInstance<FastifyInstance>();
  keepBodiesUnread(fastify);
  trackPredictions(fastify, app.get(ModelRegistry), app.get(InferenceMetrics));
  guardRoutes(fastify, app.get(AccessControl));
  limitClients(fastify, settings.clients);
  refuseBeforeBody(fastify);
  setUpDocs(app);
  return app;
}

/** Bodies of every content type stay bytes, under one limit, until their request has been admitted. */
function keepBodiesUnread(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    recordOf(request)?.bodyRead();
    done(null, body);
  });
}

function requestId({ headers }: IncomingMessage): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : randomUUID();
}
