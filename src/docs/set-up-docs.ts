import { ModelRegistry } from '#registry';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { modelDefinitions, predictPaths, PROBLEM_SCHEMA } from './predict-paths.js';

/** Serves the API description at `/docs`, always with the models that are served at that moment. */
export function setUpDocs(app: NestFastifyApplication): void {
  const registry = app.get(ModelRegistry);
  const base = new DocumentBuilder()
    .setTitle('SmartBatch')
    .setDescription('Single requests in, batched inference behind.')
    .setOpenAPIVersion('3.1.0')
    .build();
  const createDocument = () => SwaggerModule.createDocument(app, base);
  SwaggerModule.setup('docs', app, createDocument, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    patchDocumentOnRequest: (_request, _response, document: OpenAPIObject): OpenAPIObject => ({
      ...document,
      paths: { ...document.paths, ...predictPaths(registry.versions) },
      components: {
        ...document.components,
        schemas: {
          ...document.components?.schemas,
          ...modelDefinitions(registry.versions),
          Problem: PROBLEM_SCHEMA,
        },
      },
    }),
  });
}
