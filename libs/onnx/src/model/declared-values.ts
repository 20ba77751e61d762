import { describeValue, type OnnxValue } from '../session/onnx-value.js';
import type { BatchLayout } from './batch-layout.js';
import type { DeclaredValue } from './onnx-model-settings.js';

/**
 * The inputs or outputs of a file as they are declared beside it: in that order, and with those lengths where the file
 * leaves an axis free.
 *
 * @param kind what they are called in errors
 * @throws {Error} when a declaration does not fit the file
 */
export function declaredValues(
  values: readonly OnnxValue[],
  declared: readonly DeclaredValue[] | undefined,
  { isStacked }: BatchLayout,
  kind: 'input' | 'output',
): readonly OnnxValue[] {
  if (declared === undefined || declared.length === 0) return values;
  return declared.map(({ name, dtype, shape }) => {
    const value = values.find((candidate) => candidate.name === name);
    if (value === undefined) {
      const names = values.map((candidate) => `'${candidate.name}'`).join(', ');
      throw new Error(`the file has no ${kind} '${name}'; it has ${names}`);
    }
    const batch = isStacked ? [value.shape[0] ?? null] : [];
    const own = value.shape.slice(batch.length);
    if (dtype !== value.dtype || !fits(own, shape, kind)) {
      const said = describeValue(dtype, shape);
      throw new Error(
        `${kind} '${name}' is declared as ${said}, and is ${describeValue(value.dtype, own)} in the file`,
      );
    }
    return { ...value, shape: [...batch, ...shape.map((axis, index) => axis ?? own[index] ?? null)] };
  });
}

function fits(
  own: readonly (number | null)[],
  declared: readonly (number | null)[],
  kind: 'input' | 'output',
): boolean {
  // A file may give an output whose shape it does not declare.
  if (kind === 'output' && own.length === 0) return true;
  return (
    own.length === declared.length &&
    own.every((axis, index) => axis === null || declared[index] === null || axis === declared[index])
  );
}
