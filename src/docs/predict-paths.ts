import type { ModelVersion } from '#registry';
import type { OpenAPIObject } from '@nestjs/swagger';
import { exampleOfSchema } from './example-of-schema.js';
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

/** The paths of each model: its own input, output and example. */
export function predictPaths(versions: readonly ModelVersion[]): OpenAPIObject['paths'] {
  const paths: OpenAPIObject['paths'] = {};
  for (const model of versions) {
    const path = `/models/${model.name}`;
    // Versions are sorted: the first is what a request without one gets.
    if (paths[`${path}/predict`] !== undefined) continue;
    paths[`${path}/predict`] = { post: predictOperation(model, versions) };
    if (model.isStreaming) paths[`${path}/stream`] = { post: streamOperation(model, versions) };
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

function predictOperation(model: ModelVersion, versions: readonly ModelVersion[]): OperationObject {
  const { handler, output } = model.manifest;
  const token = forDocs(output, model.name);
  // A streaming model's tokens are collected.
  const result = model.isStreaming ? { type: 'array', items: token } : token;
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
  const item = forDocs(model.manifest.input, model.name);
  const inputs = { type: 'array', items: item, minItems: 1 };
  const many = { type: 'object', required: ['inputs'], properties: { inputs, parameters: PARAMETERS } };
  return {
    ...request(model, versions, { anyOf: [oneItem(item), many] }),
    operationId: `predict-${model.name}`,
    summary: handler.description ?? `Predict with ${model.name}`,
    responses: {
      200: {
        description: 'The result',
        content: { 'application/json': answer, 'application/msgpack': answer },
      },
      ...problems(),
    },
  };
}

function streamOperation(model: ModelVersion, versions: readonly ModelVersion[]): OperationObject {
  const schema = {
    type: 'string',
    description:
      'One event a token, `data: {"token": …, "request_id": "…"}`, then `data: [DONE]`, or ' +
      '`data: {"error": …}` with a Problem.',
  };
  return {
    ...request(model, versions, oneItem(forDocs(model.manifest.input, model.name))),
    operationId: `stream-${model.name}`,
    summary: `Stream from ${model.name}`,
    responses: {
      200: { description: 'The tokens, as they come', content: { 'text/event-stream': { schema } } },
      ...problems(),
    },
  };
}

const PARAMETERS = { type: 'object', description: 'Options for the model.' };

function oneItem(data: object): object {
  return { type: 'object', required: ['data'], properties: { data, parameters: PARAMETERS } };
}

/** What a request to a model has, whatever is asked. */
function request(
  model: ModelVersion,
  versions: readonly ModelVersion[],
  schema: object,
): Pick<OperationObject, 'tags' | 'parameters' | 'requestBody'> {
  const labels = versions.filter((other) => other.name === model.name).map(({ version }) => version);
  const example = exampleFor(model);
  const body = { schema, ...(example === undefined ? {} : { example: { data: example } }) };
  return {
    tags: ['models'],
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
  };
}

/** The author's example, or one that is made of the input's description and fits it. */
function exampleFor(model: ModelVersion): unknown {
  const { handler, input } = model.manifest;
  if (handler.example !== undefined) return handler.example;
  const made = exampleOfSchema(input);
  if (made === undefined) return undefined;
  try {
    // What it makes of tensors must not be shown.
    model.validate({ data: structuredClone(made) });
    return made;
  } catch {
    return undefined;
  }
}

function problems(): Record<string, ReturnType<typeof problem>> {
  return Object.fromEntries(
    Object.entries(ERRORS).map(([status, description]) => [status, problem(description)]),
  );
}

function problem(description: string): { description: string; content: object } {
  const schema = { $ref: '#/components/schemas/Problem' };
  return { description, content: { 'application/problem+json': { schema } } };
}
