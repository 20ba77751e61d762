import { describe, expect, it } from 'vitest';
import { isDataType } from './data-type.js';
import { tensorSchema } from './tensor-schema.js';
import { elementCount, isShape, isTensor, tensor } from './tensor.js';

describe('making a tensor', () => {
  it('keeps the data that it is given, and copies nothing', () => {
    const data = Float32Array.of(1, 2, 3, 4, 5, 6);
    const made = tensor('float32', [2, 3], data);
    expect(made).toEqual({ dtype: 'float32', shape: [2, 3], data });
    expect(made.data).toBe(data);
  });

  it('takes a scalar, and a tensor without elements', () => {
    expect(tensor('int64', [], BigInt64Array.of(7n)).shape).toEqual([]);
    expect(tensor('string', [2, 0], []).data).toEqual([]);
  });

  it.each([
    ['float32', new Float64Array(1), 'a float32 tensor holds a Float32Array, not a Float64Array'],
    ['bool', [true], 'a bool tensor holds a Uint8Array, not a Array'],
    ['string', new Uint8Array(1), 'a string tensor holds an array of strings, not a Uint8Array'],
    ['int8', 'x', 'a int8 tensor holds a Int8Array, not string'],
  ] as const)('refuses %s data of another type: %j', (dtype, data, message) => {
    expect(() => tensor(dtype, [1], data as never)).toThrow(new TypeError(message));
  });

  it('refuses a string tensor that holds something else', () => {
    expect(() => tensor('string', [2], ['a', 1 as never])).toThrow(TypeError);
  });

  it.each([[[3]], [[]], [[2, 2]], [[-2, -1]], [[0.5, 4]], [[Infinity]]])(
    'BC-029 refuses two elements for the shape %j',
    (shape) => {
      const message = `shape [${shape.join(', ')}] does not fit 2 elements`;
      expect(() => tensor('int8', shape, new Int8Array(2))).toThrow(new RangeError(message));
    },
  );
});

describe('telling a tensor from other values', () => {
  it('knows one that it has not made, also after a structured clone', () => {
    expect(isTensor({ dtype: 'float16', shape: [2], data: new Uint16Array(2) })).toBe(true);
    expect(isTensor(structuredClone(tensor('string', [1], ['a'])))).toBe(true);
    expect(isTensor({ dtype: 'uint8', shape: [3], data: Buffer.from('abc') })).toBe(true);
  });

  it.each([
    ['null', null],
    ['a text', 'float32'],
    ['an empty object', {}],
    ['a typed array', new Float32Array(1)],
    ['an unknown dtype', { dtype: 'complex64', shape: [1], data: new Float32Array(1) }],
    ['a dtype named like a built-in property', { dtype: 'toString', shape: [1], data: new Float32Array(1) }],
    ['no shape', { dtype: 'float32', data: new Float32Array(1) }],
    ['a shape that is a number', { dtype: 'float32', shape: 1, data: new Float32Array(1) }],
    ['a negative axis', { dtype: 'float32', shape: [-1], data: new Float32Array(1) }],
    ['a text as an axis', { dtype: 'float32', shape: ['1'], data: new Float32Array(1) }],
    ['too little data', { dtype: 'float32', shape: [2], data: new Float32Array(1) }],
    ['data of another type', { dtype: 'float32', shape: [1], data: [1] }],
    ['texts that are none', { dtype: 'string', shape: [1], data: [1] }],
  ])('takes %s for none', (_, value) => {
    expect(isTensor(value)).toBe(false);
  });

  it('does not take a list with holes for a shape', () => {
    expect(isShape([2, 3])).toBe(true);
    expect(isShape(Object.assign([], { length: 2 }))).toBe(false);
  });

  it('counts elements as the product of the axes, one for a scalar', () => {
    expect([[], [5], [2, 3, 4], [7, 0]].map(elementCount)).toEqual([1, 5, 24, 0]);
  });

  it('knows the names of dtypes, and no property of objects', () => {
    expect(['float16', 'uint64', 'bool', 'string'].every(isDataType)).toBe(true);
    expect(['float', 'constructor', '', 1, undefined].some(isDataType)).toBe(false);
  });
});

describe('the schema of a tensor', () => {
  it('says dtype and shape beside what else is said of the value', () => {
    expect(tensorSchema('float32', [null, 80], { description: 'frames' })).toEqual({
      description: 'frames',
      tensor: { dtype: 'float32', shape: [null, 80] },
    });
  });
});
