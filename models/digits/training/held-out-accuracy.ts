import { stack } from '#model';
import type { OnnxSession } from '#onnx';
import { PIXELS, type LabelledDigit } from './digit-set.js';

/** The share of pictures, 0 to 1, whose most probable digit is their label. */
export async function heldOutAccuracy(
  session: OnnxSession,
  digits: readonly LabelledDigit[],
): Promise<number> {
  const pixels = stack(digits.map((digit) => ({ dtype: 'float32', shape: [PIXELS], data: digit.pixels })));
  const { probabilities } = await session.run({ pixels });
  const rows = probabilities!.data as Float32Array;
  const right = digits.filter(({ label }, index) => {
    const row = rows.subarray(index * 10, (index + 1) * 10);
    return row.indexOf(Math.max(...row)) === label;
  });
  return right.length / digits.length;
}
