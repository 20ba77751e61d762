import { tensorSchema, type DataType } from '#model';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { definitionsForDocs, forDocs } from './json-schema-for-docs.js';

function fits(schema: object, value: unknown): boolean {
  return new Ajv({ strict: false }).validate(schema, value);
}

describe('a tensor in the API description', () => {
  const matrix = forDocs(tensorSchema('float32', [2, null], { description: 'frames' }), 'm');

  it.each([
    ['nested arrays', [[1, 2, 3], []], true],
    ['flat data with its shape', { dtype: 'float32', shape: [2, 1], data: [1, 2] }, true],
    ['too few rows', [[1]], false],
    ['texts', [['a'], ['b']], false],
    ['another dtype', { dtype: 'int8', shape: [2, 1], data: [1, 2] }, false],
    ['another rank', { dtype: 'float32', shape: [2], data: [1, 2] }, false],
    ['no data', { dtype: 'float32', shape: [2, 1] }, false],
  ])('is described as what a client may send: %s', (_, value, expected) => {
    expect(fits(matrix, value)).toBe(expected);
  });

  it('keeps what else is said of it, and no word of ours', () => {
    expect(matrix['description']).toBe('frames');
    expect(JSON.stringify(matrix)).not.toContain('"tensor"');
  });

  it.each<[DataType, unknown, unknown]>([
    ['int64', 1, 1.5],
    ['float64', 1.5, 'a'],
    ['bool', true, 1],
    ['string', 'a', 1],
  ])('of %s has elements such as %j, and not %j', (dtype, good, bad) => {
    const scalar = forDocs(tensorSchema(dtype, []), 'm');
    expect([fits(scalar, good), fits(scalar, bad)]).toEqual([true, false]);
  });

  it('is found wherever it stands', () => {
    const described = forDocs(
      { type: 'object', properties: { list: { type: 'array', items: tensorSchema('int8', [1]) } } },
      'm',
    );
    expect(fits(described, { list: [[5]] })).toBe(true);
    expect(fits(described, { list: [['x']] })).toBe(false);
  });

  it('may be a property that is called tensor', () => {
    const described = forDocs({ type: 'object', properties: { tensor: tensorSchema('int8', [1]) } }, 'm');
    expect(fits(described, { tensor: [5] })).toBe(true);
    expect(fits(described, { tensor: ['x'] })).toBe(false);
  });
});

describe('the definitions that a description refers to', () => {
  const schema = {
    type: 'array',
    items: { $ref: '#/definitions/Box' },
    definitions: {
      Box: {
        type: 'object',
        properties: { inner: { $ref: '#/definitions/Box' }, size: tensorSchema('int8', [1]) },
      },
    },
  };

  it('are named so that no two models share one', () => {
    expect(Object.keys(definitionsForDocs(schema, 'parcel'))).toEqual(['parcel.Box']);
    expect(definitionsForDocs({}, 'parcel')).toEqual({});
  });

  it('are referred to where the API description has them', () => {
    const reference = { $ref: '#/components/schemas/parcel.Box' };
    const described = forDocs(schema, 'parcel');
    expect(described).toEqual({ type: 'array', items: reference });
    const { 'parcel.Box': box } = definitionsForDocs(schema, 'parcel') as {
      'parcel.Box': { properties: object };
    };
    expect(box.properties).toMatchObject({
      inner: reference,
      size: { anyOf: [{ type: 'array' }, { type: 'object' }] },
    });
  });

  it('leaves references to elsewhere as they are, and the given schema unchanged', () => {
    const before = structuredClone(schema);
    expect(forDocs({ $ref: 'https://schemas.example/box' }, 'm')).toEqual({
      $ref: 'https://schemas.example/box',
    });
    forDocs(schema, 'm');
    expect(schema).toEqual(before);
  });
});
