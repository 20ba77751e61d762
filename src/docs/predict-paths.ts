import type { ModelVersion } from '#registry';
import type { OpenAPIObject } from '@nestjs/swagger';
import { definitionsForDocs, forDocs } from './json-schema-for-docs.js';

type OperationObject = NonNullable<OpenAPIObject['paths'][string]['post']>;

/** The body of every error. */
export const PROBLEM_SCHEMA = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: { type: 'object', properties: { field: { type: 'string' }, message: { type: 'string' } } },
    },
  },
};

const ERRORS: Readonly<Record<string, string>> = {
  400: 'The body or a header cannot be read',
  404: 'No such model or version',
  413: 'The body is too large',
  415: 'The content type is not supported',
  422: 'The input does not fit the model',
  429: 'The queue is full',
  500: 'The model failed',
  502: 'The model broke its contract',
  503: 'Not ready, stopping, or without a worker',
  504: 'The deadline passed',
};

/** One path a model: its own input, output and example. */
export function predictPaths(versions: readonly ModelVersion[]): OpenAPIObject['paths'] {
  const paths: OpenAPIObject['paths'] = {};
  for (const model of versions) {
    const path = `/models/${model.name}/predict`;
    // Versions are sorted: the first is what a request without one gets.
    paths[path] ??= { post: operation(model, versions) };
  }
  return paths;
}

/** The definitions that the models' descriptions refer to. */
export function modelDefinitions(versions: readonly ModelVersion[]): Record<string, unknown> {
  const definitions = versions.flatMap(({ name, manifest: { input, output } }) =>
    [input, output].map((schema) => definitionsForDocs(schema, name)),
  );
  return Object.assign({}, ...definitions) as Record<string, unknown>;
}

function operation(model: ModelVersion, versions: readonly ModelVersion[]): OperationObject {
  const { handler, input, output } = model.manifest;
  const labels = versions.filter(({ name }) => name === model.name).map(({ version }) => version);
  const item = forDocs(input, model.name);
  const parameters = { type: 'object', description: 'Options for the model.' };
  const one = { type: 'object', required: ['data'], properties: { data: item, parameters } };
  const inputs = { type: 'array', items: item, minItems: 1 };
  const many = { type: 'object', required: ['inputs'], properties: { inputs, parameters } };
  const body = {
    schema: { anyOf: [one, many] },
    ...(handler.example === undefined ? {} : { example: { data: handler.example } }),
  };
  const result = forDocs(output, model.name);
  const properties = {
    request_id: { type: 'string' },
    processing_time: { type: 'number', description: 'Seconds from arrival to answer.' },
  };
  const answer = {
    schema: {
      anyOf: [
        { type: 'object', properties: { result, ...properties } },
        { type: 'object', properties: { results: { type: 'array', items: result }, ...properties } },
      ],
    },
  };
  return {
    tags: ['models'],
    operationId: `predict-${model.name}`,
    summary: handler.description ?? `Predict with ${model.name}`,
    parameters: [
      {
        name: 'version',
        in: 'query',
        schema: { type: 'string', enum: labels },
        description: 'Default: the latest.',
      },
      { name: 'X-Request-Id', in: 'header', schema: { type: 'string' } },
      { name: 'X-Request-Priority', in: 'header', schema: { type: 'integer', minimum: 0, maximum: 10 } },
      { name: 'X-Request-Timeout', in: 'header', schema: { type: 'number' }, description: 'Seconds.' },
    ],
    requestBody: { required: true, content: { 'application/json': body, 'application/msgpack': body } },
    responses: {
      200: {
        description: 'The result',
        content: { 'application/json': answer, 'application/msgpack': answer },
      },
      ...Object.fromEntries(
        Object.entries(ERRORS).map(([status, description]) => [status, problem(description)]),
      ),
    },
  };
}

function problem(description: string): object {
  const schema = { $ref: '#/components/schemas/Problem' };
  return { description, content: { 'application/problem+json': { schema } } };
}
