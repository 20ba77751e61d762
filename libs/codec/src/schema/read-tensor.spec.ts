import { tensor, type DataType, type TensorSpec } from '#model';
import { describe, expect, it } from 'vitest';
import { readTensor } from './read-tensor.js';
import { TensorFault } from './tensor-fault.js';

function faultOf(spec: TensorSpec, value: unknown): { path: string; message: string } {
  try {
    readTensor(spec, value);
  } catch (error) {
    if (error instanceof TensorFault) return { path: error.path, message: error.message };
    throw error;
  }
  throw new Error('no fault');
}

const MATRIX: TensorSpec = { dtype: 'float32', shape: [2, 3] };
const FREE: TensorSpec = { dtype: 'float32', shape: [null, 2] };

describe('reading a tensor', () => {
  it('takes nested arrays, flat data with a shape, and bytes', () => {
    const data = Float32Array.of(1, 2, 3, 4, 5, 6);
    const expected = tensor('float32', [2, 3], data);
    expect(
      readTensor(MATRIX, [
        [1, 2, 3],
        [4, 5, 6],
      ]),
    ).toEqual(expected);
    expect(readTensor(MATRIX, { dtype: 'float32', shape: [2, 3], data: [1, 2, 3, 4, 5, 6] })).toEqual(
      expected,
    );
    const bytes = Buffer.from(data.buffer);
    expect(readTensor(MATRIX, { dtype: 'float32', shape: [2, 3], data: bytes })).toEqual(expected);
  });

  it('copies bytes that do not lie on a multiple of the element width', () => {
    const body = Buffer.concat([Buffer.from('x'), Buffer.from(Float32Array.of(1, 2).buffer)]);
    const data = new Uint8Array(body.buffer, body.byteOffset + 1, 8);
    const read = readTensor({ dtype: 'float32', shape: [2] }, { dtype: 'float32', shape: [2], data });
    expect([...(read.data as Float32Array)]).toEqual([1, 2]);
  });

  it('takes any length for a free axis, also none', () => {
    expect(readTensor(FREE, [[1, 2]]).shape).toEqual([1, 2]);
    expect(
      readTensor(FREE, [
        [1, 2],
        [3, 4],
        [5, 6],
      ]).shape,
    ).toEqual([3, 2]);
    expect(readTensor(FREE, []).shape).toEqual([0, 2]);
  });

  it('takes a bare number for a scalar', () => {
    expect(readTensor({ dtype: 'float64', shape: [] }, 7)).toEqual(tensor('float64', [], Float64Array.of(7)));
  });

  it.each([
    ['too few rows', [[1, 2, 3]], '', 'shape [2, 3]'],
    [
      'a ragged row',
      [
        [1, 2, 3],
        [4, 5],
      ],
      '/1',
      'array of 3',
    ],
    [
      'a text among the numbers',
      [
        [1, 2, 3],
        [4, 'x', 6],
      ],
      '/1/1',
      'a number',
    ],
    [
      'a number too large for float32',
      [
        [1, 2, 3],
        [4, 5, 1e39],
      ],
      '/1/2',
      'float32',
    ],
    ['a null', null, '', 'float32 tensor'],
    ['a text', 'picture', '', 'float32 tensor'],
    ['another dtype', { dtype: 'int32', shape: [2, 3], data: [] }, '/dtype', "'float32'"],
    ['another shape', { dtype: 'float32', shape: [3, 2], data: [] }, '/shape', '[2, 3]'],
    [
      'BC-029 a shape that its data does not fill',
      { dtype: 'float32', shape: [2, 3], data: [1] },
      '/data',
      '6 elements',
    ],
    [
      'BC-029 bytes that its shape does not fill',
      { dtype: 'float32', shape: [2, 3], data: Buffer.alloc(5) },
      '/data',
      '24 bytes',
    ],
    ['no data', { dtype: 'float32', shape: [2, 3] }, '', 'float32 tensor'],
  ])('names the place of %s', (_, value, path, message) => {
    const fault = faultOf(MATRIX, value);
    expect(fault.path).toBe(path);
    expect(fault.message).toContain(message);
  });

  it.each<[DataType, unknown[], unknown[]]>([
    ['int8', [-128, 127], [128, -129, 0.5, '1', true]],
    ['uint8', [0, 255], [256, -1]],
    ['int16', [-32768, 32767], [32768]],
    ['uint16', [0, 65535], [65536]],
    ['int32', [-2147483648, 2147483647], [2147483648]],
    ['uint32', [0, 4294967295], [4294967296, -1]],
    ['int64', [1, -5, '9223372036854775807'], ['9223372036854775808', 0.5, 2 ** 53, 'seven']],
    ['uint64', [0, '18446744073709551615'], [-1, '-1', '18446744073709551616']],
    ['bool', [true, false], [1, 0, 'true']],
    ['string', ['', 'text 🙂'], [1, null]],
    ['float64', [9e-7, 1111111.5, 0.1, 1e21, 5e-324, 0.96], [Infinity, NaN, '1']],
  ])('BC-037 BC-098 knows what a %s can hold', (dtype, good, bad) => {
    for (const value of good) {
      const { data } = readTensor({ dtype, shape: [1] }, [value]);
      const expected =
        typeof data[0] === 'bigint' ? BigInt(value as number) : dtype === 'bool' ? Number(value) : value;
      expect(data[0]).toBe(expected);
    }
    for (const value of bad) expect(faultOf({ dtype, shape: [1] }, [value]).path).toBe('/0');
  });

  it('BC-037 takes float16 as numbers and as bytes', () => {
    const spec: TensorSpec = { dtype: 'float16', shape: [1] };
    expect(readTensor(spec, [1]).data).toEqual(Uint16Array.of(0x3c00));
    const bits = Buffer.from(Uint16Array.of(0x3c00).buffer);
    expect(readTensor(spec, { dtype: 'float16', shape: [1], data: bits }).data).toEqual(
      Uint16Array.of(0x3c00),
    );
  });
});
