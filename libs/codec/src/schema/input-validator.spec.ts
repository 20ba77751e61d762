import { isTensor, tensorSchema, type JsonSchema, type ServingError, type Tensor } from '#model';
import { describe, expect, it } from 'vitest';
import { InputValidator } from './input-validator.js';

/** As a worker describes a class with nested classes. */
const ORDER: JsonSchema = {
  type: 'object',
  required: ['customer', 'lines', 'picture'],
  additionalProperties: false,
  properties: {
    customer: { type: 'string', minLength: 1 },
    lines: { type: 'array', items: { $ref: '#/definitions/Line' } },
    picture: tensorSchema('uint8', [2]),
    note: { enum: ['gift', 'express'] },
  },
  definitions: {
    Line: {
      type: 'object',
      required: ['count'],
      additionalProperties: false,
      properties: { count: { type: 'integer', minimum: 1 }, weights: tensorSchema('float32', [null]) },
    },
  },
};

const GOOD = { customer: 'Ada', lines: [{ count: 2, weights: [0.5] }], picture: [1, 2] };

function refusal(validator: InputValidator, body: unknown): ServingError {
  try {
    validator.validate(body);
  } catch (error) {
    return error as ServingError;
  }
  throw new Error('the body was taken');
}

function faultOf(schema: JsonSchema, data: unknown): unknown {
  const error = refusal(new InputValidator(schema), { data });
  expect([error.code, error.status]).toEqual(['invalid_input', 422]);
  expect(error.faults).toHaveLength(1);
  return error.faults![0];
}

describe('the envelope of a request', () => {
  const anything = new InputValidator({});

  it('holds one input, or a list of them, and parameters', () => {
    expect(anything.validate({ data: null })).toEqual({ items: [null], isList: false, parameters: {} });
    expect(anything.validate({ inputs: [1, 'two'], parameters: { k: 3 } })).toEqual({
      items: [1, 'two'],
      isList: true,
      parameters: { k: 3 },
    });
  });

  it.each([
    [null, 'the body must be object'],
    [[], 'the body must be object'],
    ['text', 'the body must be object'],
    [{}, '/data is required'],
    [{ datum: 1 }, '/data is required'],
    [{ data: 1, extra: 2 }, '/extra is not a known field'],
    [{ data: 1, inputs: [1] }, '/data is not a known field'],
    [{ inputs: [] }, '/inputs must NOT have fewer than 1 items'],
    [{ inputs: { 0: 1 } }, '/inputs must be array'],
    [{ data: 1, parameters: [1] }, '/parameters must be object'],
    [JSON.parse('{"data": 1, "__proto__": 2}'), '/__proto__ is not a known field'],
  ])('%j is refused: %s', (body, message) => {
    expect(refusal(anything, body).message).toBe(message);
  });
});

describe('an input', () => {
  it('that fits is handed on with its tensors in place, also those of nested classes', () => {
    const { items } = new InputValidator(ORDER).validate({ data: structuredClone(GOOD) });
    const [item] = items as { lines: { weights: Tensor }[]; picture: Tensor }[];
    expect(item!.picture).toEqual({ dtype: 'uint8', shape: [2], data: Uint8Array.of(1, 2) });
    expect(isTensor(item!.lines[0]!.weights)).toBe(true);
  });

  it('that is a tensor as a whole is replaced by it, in a list too', () => {
    const validator = new InputValidator(tensorSchema('float32', [2]));
    expect(validator.validate({ data: [1, 2] }).items.every(isTensor)).toBe(true);
    const { items } = validator.validate({
      inputs: [[1, 2], { dtype: 'float32', shape: [2], data: [3, 4] }],
    });
    expect(items.map((item) => [...(item as Tensor<'float32'>).data])).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it.each([
    ['a missing field', { lines: [], picture: [1, 2] }, '/data/customer', 'is required'],
    ['an unknown field', { ...GOOD, age: 7 }, '/data/age', 'is not a known field'],
    ['a wrong type', { ...GOOD, customer: 5 }, '/data/customer', 'must be string'],
    ['a value that is not listed', { ...GOOD, note: 'x' }, '/data/note', 'must be one of ["gift","express"]'],
    [
      'a nested value',
      { ...GOOD, lines: [{ count: 1 }, { count: 0 }] },
      '/data/lines/1/count',
      'must be >= 1',
    ],
    ['a nested missing field', { ...GOOD, lines: [{}] }, '/data/lines/0/count', 'is required'],
    [
      'a nested unknown field',
      { ...GOOD, lines: [{ count: 1, x: 1 }] },
      '/data/lines/0/x',
      'is not a known field',
    ],
    ['a tensor', { ...GOOD, picture: [1, 256] }, '/data/picture/1', 'must be an integer from 0 to 255'],
    [
      'a nested tensor',
      { ...GOOD, lines: [{ count: 1, weights: ['a'] }] },
      '/data/lines/0/weights/0',
      /float32/,
    ],
  ])('names the place of %s', (_, data, field, message) => {
    expect(faultOf(ORDER, structuredClone(data))).toEqual({
      field,
      message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
    });
  });

  it('in a list is named by its place in it', () => {
    const error = refusal(new InputValidator({ type: 'string' }), { inputs: ['a', 5] });
    expect(error.faults).toEqual([{ field: '/inputs/1', message: 'must be string' }]);
  });

  it('BC-029 whose tensor declares what its data does not fill is refused', () => {
    const liar = { dtype: 'string', shape: [59], data: ['one'] };
    expect(faultOf(tensorSchema('string', [null]), liar)).toMatchObject({ field: '/data/data' });
  });

  it('that is described by a reference alone is checked', () => {
    const byReference = { $ref: '#/definitions/Line', definitions: ORDER['definitions'] as object };
    expect(faultOf(byReference, { count: 0 })).toMatchObject({ field: '/data/count' });
  });

  it('BC-097 is no number when it is NaN, which MessagePack can say', () => {
    expect(faultOf({ type: 'number' }, NaN)).toMatchObject({ field: '/data' });
    expect(faultOf(tensorSchema('float64', []), NaN)).toMatchObject({ field: '/data' });
  });
});

describe('how deep an input may be nested', () => {
  const nest = (levels: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value };
    return value;
  };
  const anything = new InputValidator({});

  it('64 levels, and no deeper', () => {
    expect(anything.validate({ data: nest(64) }).items).toHaveLength(1);
    expect(refusal(anything, { data: nest(65) }).faults).toEqual([
      { field: '/data', message: 'must not be nested deeper than 64 levels' },
    ]);
    expect(refusal(anything, { inputs: [nest(65)] }).faults![0]!.field).toBe('/inputs');
  });

  it('is said of the field that is too deep', () => {
    const error = refusal(anything, { data: 1, parameters: { option: nest(100) } });
    expect(error.faults![0]!.field).toBe('/parameters');
  });

  it('is checked before a description that refers to itself follows it down', () => {
    const tree: JsonSchema = {
      $ref: '#/definitions/Tree',
      definitions: { Tree: { type: 'array', items: { $ref: '#/definitions/Tree' } } },
    };
    let data: unknown[] = [];
    for (let level = 0; level < 100_000; level++) data = [data];
    expect(refusal(new InputValidator(tree), { data })).toMatchObject({ code: 'invalid_input' });
  });
});

describe('an input description that is no schema', () => {
  it.each([
    [{ type: 'strnig' }, 'type'],
    [{ minimun: 3 }, 'minimun'],
    [{ $ref: '#/definitions/Missing' }, 'Missing'],
  ])('%j is refused when the model is loaded', (schema, reason) => {
    const loading = () => new InputValidator(schema);
    expect(loading).toThrow(expect.objectContaining({ code: 'model_not_loadable' }));
    expect(loading).toThrow(reason);
  });

  it('may hold an example and a format', () => {
    const schema = { type: 'string', format: 'email', example: 'a@b.example' };
    expect(new InputValidator(schema).validate({ data: 'anything' }).items).toEqual(['anything']);
  });
});
