import { DATA_TYPES, elementCount, toFloat16, type Tensor } from '#model';
import type { OnnxValue } from '../session/onnx-value.js';
import { SeededNumbers } from '../writer/seeded-numbers.js';
import type { BatchLayout } from './batch-layout.js';
import type { TensorRecord } from './tensor-record.js';

const SEED = 1;

/**
 * Makes items that differ: floats in [0, 1), and 0 or 1 for integers, which most tables, masks and token types accept.
 *
 * @param count how many
 * @param freeAxis length of the axes that may have any
 */
export function sampleItems(
  inputs: readonly OnnxValue[],
  { isStacked }: BatchLayout,
  count: number,
  freeAxis: number,
): TensorRecord[] {
  const numbers = new SeededNumbers(SEED);
  return Array.from({ length: count }, () =>
    Object.fromEntries(
      inputs.map((input) => {
        const axes = isStacked ? input.shape.slice(1) : input.shape;
        const shape = axes.map((axis) => axis ?? freeAxis);
        return [input.name, sampleTensor(input.dtype, shape, numbers)];
      }),
    ),
  );
}

/** One tensor of such an item. */
export function sampleTensor(
  dtype: Tensor['dtype'],
  shape: readonly number[],
  numbers: SeededNumbers,
): Tensor {
  const fraction = () => numbers.nextInteger() / 2 ** 32;
  const length = elementCount(shape);
  if (dtype === 'string') {
    return { dtype, shape, data: Array.from({ length }, () => (numbers.nextBelow(2) === 0 ? 'a' : 'b')) };
  }
  const data = new DATA_TYPES[dtype].array(length);
  for (let index = 0; index < length; index++) {
    if (dtype === 'float32' || dtype === 'float64') data[index] = fraction();
    else if (dtype === 'float16') data[index] = toFloat16(fraction());
    else if (dtype === 'int64' || dtype === 'uint64') data[index] = BigInt(numbers.nextBelow(2));
    else data[index] = numbers.nextBelow(2);
  }
  return { dtype, shape, data };
}
