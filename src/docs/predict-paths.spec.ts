import { InputValidator } from '#codec';
import { tensorSchema } from '#model';
import type { ModelVersion } from '#registry';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { modelDefinitions, PROBLEM_SCHEMA, predictPaths } from './predict-paths.js';

/** As much of a model version as its description takes. */
function version(
  name: string,
  label: string,
  parts: Partial<ModelVersion['manifest']> = {},
  isStreaming = false,
) {
  const manifest = { handler: {}, input: { type: 'string' }, output: { type: 'number' }, ...parts };
  const validator = new InputValidator(manifest.input);
  const validate = (body: unknown) => validator.validate(body);
  return { name, version: label, isStreaming, manifest, validate } as unknown as ModelVersion;
}

/** What one path of the description says, as far as the tests look. */
interface Operation {
  readonly summary: string;
  readonly parameters: { name: string; schema: { enum?: string[] } }[];
  readonly requestBody: { content: Record<string, { schema: object; example?: unknown }> };
  readonly responses: Record<string, { content: Record<string, { schema: object }> }>;
}

function operation(versions: readonly ModelVersion[], path: string): Operation {
  return predictPaths(versions)[path]!.post as unknown as Operation;
}

const fits = (schema: object, value: unknown) => new Ajv({ strict: false }).validate(schema, value);

describe('the paths of the models', () => {
  it('are one a model, however many versions it has, with all of them to choose from', () => {
    const versions = [version('a', 'v10'), version('a', 'v9'), version('b', '1')];
    expect(Object.keys(predictPaths(versions))).toEqual(['/models/a/predict', '/models/b/predict']);
    const { parameters } = operation(versions, '/models/a/predict');
    expect(parameters.find(({ name }) => name === 'version')!.schema.enum).toEqual(['v10', 'v9']);
  });

  it.each([
    [{ handler: { example: 'own' } }, { data: 'own' }],
    [{ input: tensorSchema('float32', [2]) }, { data: [0.5, 0.5] }],
    [{ input: { type: 'string', pattern: '^[0-9]+$' } }, undefined],
    [{ input: {} }, undefined],
  ])("have the author's example, or one that is made and fits: %j", (parts, example) => {
    const body = operation([version('a', '1', parts)], '/models/a/predict').requestBody;
    expect(body.content['application/json']!.example).toEqual(example);
  });

  it('describe the input of the version that a request without one gets', () => {
    const versions = [version('a', 'v10', { input: { type: 'integer' } }), version('a', 'v9')];
    const { schema } = operation(versions, '/models/a/predict').requestBody.content['application/json']!;
    expect([fits(schema, { data: 1 }), fits(schema, { data: 'text' })]).toEqual([true, false]);
  });

  it.each([
    [{ data: [1, 2] }, true],
    [{ data: [1, 2], parameters: { k: 1 } }, true],
    [{ inputs: [[1, 2], { dtype: 'float32', shape: [2], data: [3, 4] }] }, true],
    [{ inputs: [] }, false],
    [{ data: [1] }, false],
    [{ data: [1, 2], parameters: 5 }, false],
    [{}, false],
  ])('describe the body %j: %s', (body, expected) => {
    const versions = [version('a', '1', { input: tensorSchema('float32', [2]) })];
    const { content } = operation(versions, '/models/a/predict').requestBody;
    expect(fits(content['application/json']!.schema, body)).toBe(expected);
    expect(content['application/msgpack']!.schema).toEqual(content['application/json']!.schema);
  });

  it('describe the answer, also that to a list', () => {
    const { responses } = operation([version('a', '1')], '/models/a/predict');
    const { schema } = responses['200']!.content['application/json']!;
    expect(fits(schema, { result: 5, request_id: 'r', processing_time: 0.1 })).toBe(true);
    expect(fits(schema, { results: [5, 6], request_id: 'r', processing_time: 0.1 })).toBe(true);
  });

  it.each(['400', '404', '413', '415', '422', '429', '500', '502', '503', '504'])(
    'describe the error %s as a problem',
    (status) => {
      const { responses } = operation([version('a', '1')], '/models/a/predict');
      expect(responses[status]!.content['application/problem+json']!.schema).toEqual({
        $ref: '#/components/schemas/Problem',
      });
    },
  );

  it("show the author's words, and do without them", () => {
    const handler = { example: 'a cat', description: 'Names an animal' };
    const versions = [version('a', '1', { handler }), version('b', '1')];
    const described = operation(versions, '/models/a/predict');
    expect(described.summary).toBe('Names an animal');
    expect(described.requestBody.content['application/json']!.example).toEqual({ data: 'a cat' });
    const bare = operation(versions, '/models/b/predict');
    expect(bare.summary).toBe('Predict with b');
  });

  it('have a stream beside them where the model streams', () => {
    const versions = [version('a', '1', {}, true), version('b', '1')];
    expect(Object.keys(predictPaths(versions))).toEqual([
      '/models/a/predict',
      '/models/a/stream',
      '/models/b/predict',
    ]);
    const { responses, requestBody } = operation(versions, '/models/a/stream');
    expect(Object.keys(responses['200']!.content)).toEqual(['text/event-stream']);
    const { schema } = requestBody.content['application/json']!;
    expect([fits(schema, { data: 'text' }), fits(schema, { inputs: ['text'] })]).toEqual([true, false]);
  });
});

describe('the definitions of all models', () => {
  it('stand side by side, those of inputs and of outputs', () => {
    const definitions = (...names: string[]) => ({
      definitions: Object.fromEntries(names.map((name) => [name, { type: 'object' }])),
    });
    const versions = [
      version('a', '1', { input: definitions('Box'), output: definitions('Label') }),
      version('b', '1', { input: definitions('Box') }),
    ];
    expect(Object.keys(modelDefinitions(versions)).toSorted()).toEqual(['a.Box', 'a.Label', 'b.Box']);
    expect(modelDefinitions([])).toEqual({});
  });
});

describe('the schema of a problem', () => {
  it('lists what every error has', () => {
    const problem = { type: 't', title: 't', status: 422, detail: 'd', code: 'c', request_id: 'r' };
    expect(fits(PROBLEM_SCHEMA, problem)).toBe(true);
    expect(fits(PROBLEM_SCHEMA, { ...problem, status: '422' })).toBe(false);
    expect(fits(PROBLEM_SCHEMA, { ...problem, errors: [{ field: 1 }] })).toBe(false);
  });
});
