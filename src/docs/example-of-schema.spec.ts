import { InputValidator } from '#codec';
import { tensorSchema, type JsonSchema } from '#model';
import { describe, expect, it } from 'vitest';
import { exampleOfSchema } from './example-of-schema.js';

const node: JsonSchema = {
  type: 'object',
  properties: { label: { type: 'string' }, next: { $ref: '#/definitions/Node' } },
  required: ['label'],
};

describe('an example made of a description', () => {
  it.each([
    [{ type: 'string' }, 'text'],
    [{ type: 'string', minLength: 6 }, 'text..'],
    [{ type: 'string', maxLength: 2 }, 'te'],
    [{ type: 'integer' }, 1],
    [{ type: 'number', minimum: 5 }, 5],
    [{ type: 'number', exclusiveMinimum: 5 }, 6],
    [{ type: 'number', maximum: -5 }, -5],
    [{ type: ['boolean', 'null'] }, true],
    [{ enum: ['a', 'b'] }, 'a'],
    [{ const: 7 }, 7],
    [{ type: 'string', default: 'd' }, 'd'],
    [{ type: 'string', examples: ['e', 'f'] }, 'e'],
    [{ type: 'array', items: { type: 'boolean' }, minItems: 2 }, [true, true]],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'text'],
    [{ allOf: [{ $ref: '#/definitions/T' }], definitions: { T: { type: 'boolean' } } }, true],
    [tensorSchema('float32', [2, null]), [[0.5], [0.5]]],
    [tensorSchema('int64', []), 1],
    [tensorSchema('string', [1]), ['text']],
    [
      {
        type: 'object',
        properties: { a: { type: 'integer' }, b: tensorSchema('bool', [2]) },
        required: ['a'],
        additionalProperties: false,
      },
      { a: 1, b: [true, true] },
    ],
  ] as [JsonSchema, unknown][])('%j', (schema, example) => {
    expect(exampleOfSchema(schema)).toEqual(example);
    const { definitions: _, ...rest } = schema;
    expect(() => new InputValidator({ ...schema, ...rest }).validate({ data: example })).not.toThrow();
  });

  it('ends where a description refers to itself', () => {
    expect(exampleOfSchema({ ...node, definitions: { Node: node } })).toMatchObject({
      label: 'text',
      next: { label: 'text', next: { label: 'text' } },
    });
  });

  it.each([
    {},
    { type: 'object', properties: { a: {} }, required: ['a'] },
    tensorSchema('float32', [3, 224, 224]),
    { type: 'array', minItems: 5000, items: { type: 'number' } },
  ] as JsonSchema[])('is none of %j', (schema) => {
    expect(exampleOfSchema(schema)).toBeUndefined();
  });
});
