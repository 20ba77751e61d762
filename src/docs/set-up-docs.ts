import { ModelRegistry } from '#registry';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { createRequire } from 'node:module';
import { AccessControl } from '../access/access-control.js';
import { MODELS_ONCE_AUTHORIZED } from './models-once-authorized.js';
import { modelDefinitions, predictPaths, PROBLEM_SCHEMA } from './predict-paths.js';

const PACKAGE = createRequire(import.meta.url)('#package') as { readonly version: string };

/** Serves the API description at `/docs`, always with the models that are served at that moment. */
export function setUpDocs(app: NestFastifyApplication): void {
  const registry = app.get(ModelRegistry);
  const access = app.get(AccessControl);
  const base = new DocumentBuilder()
    .setTitle('SmartBatch')
    .setDescription('Single requests in, batched inference behind.')
    .setVersion(PACKAGE.version)
    .setOpenAPIVersion('3.1.0')
    .addBearerAuth(
      { type: 'http', bearerFormat: 'opaque', description: 'An admin token or an API key.' },
      'token',
    )
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' }, 'key')
    .addSecurityRequirements('token')
    .addSecurityRequirements('key')
    .build();
  const createDocument = () => SwaggerModule.createDocument(app, base);
  SwaggerModule.setup('docs', app, createDocument, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    swaggerOptions: { plugins: [MODELS_ONCE_AUTHORIZED] },
    patchDocumentOnRequest: (request: unknown, _response, document: OpenAPIObject): OpenAPIObject => {
      // Which models there are is told to those who may use them.
      const mayPredict = access.admits('clients', (request as FastifyRequest).headers);
      const versions = mayPredict ? registry.versions : [];
      return {
        ...document,
        paths: { ...document.paths, ...predictPaths(versions) },
        components: {
          ...document.components,
          schemas: {
            ...document.components?.schemas,
            ...modelDefinitions(versions),
            Problem: PROBLEM_SCHEMA,
          },
        },
      };
    },
  });
}
