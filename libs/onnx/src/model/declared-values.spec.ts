import { describe, expect, it } from 'vitest';
import type { OnnxValue } from '../session/onnx-value.js';
import { declaredValues } from './declared-values.js';

const own: OnnxValue[] = [
  { name: 'x', dtype: 'float32', shape: [null, 3, null], batchAxis: 0 },
  { name: 'y', dtype: 'int64', shape: [null], batchAxis: 0 },
];
const stacked = { isStacked: true };

describe('values that are declared beside a file', () => {
  it("are the file's own where nobody declares any", () => {
    expect(declaredValues(own, undefined, stacked, 'input')).toBe(own);
    expect(declaredValues(own, [], stacked, 'input')).toBe(own);
  });

  it('narrow free axes, have their own order, and may leave others out', () => {
    const declared = [
      { name: 'y', dtype: 'int64', shape: [] },
      { name: 'x', dtype: 'float32', shape: [null, 8] },
    ] as const;
    expect(declaredValues(own, declared, stacked, 'output').map(({ name, shape }) => [name, shape])).toEqual([
      ['y', [null]],
      ['x', [null, 3, 8]],
    ]);
    const [whole] = declaredValues(
      own,
      [{ name: 'x', dtype: 'float32', shape: [2, 3, 4] }],
      { isStacked: false },
      'input',
    );
    expect(whole!.shape).toEqual([2, 3, 4]);
  });

  it('may give a shape to an output that has none', () => {
    const shapeless: OnnxValue[] = [{ name: 'z', dtype: 'float32', shape: [], batchAxis: null }];
    const [value] = declaredValues(
      shapeless,
      [{ name: 'z', dtype: 'float32', shape: [5] }],
      stacked,
      'output',
    );
    expect(value!.shape).toEqual([null, 5]);
  });

  it.each([
    [{ name: 'q', dtype: 'float32', shape: [] }, "the file has no input 'q'; it has 'x', 'y'"],
    [
      { name: 'x', dtype: 'float64', shape: [3, 8] },
      "input 'x' is declared as float64 [3, 8], and is float32 [3, any] in the file",
    ],
    [
      { name: 'x', dtype: 'float32', shape: [4, 8] },
      "input 'x' is declared as float32 [4, 8], and is float32 [3, any] in the file",
    ],
    [{ name: 'x', dtype: 'float32', shape: [3] }, "input 'x' is declared as float32 [3]"],
  ] as const)('must fit the file: %j', (declared, message) => {
    expect(() => declaredValues(own, [declared], stacked, 'input')).toThrow(message);
  });
});
