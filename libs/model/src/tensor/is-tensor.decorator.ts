import { ValidateBy, buildMessage, type ValidationOptions } from 'class-validator';
import type { DataType } from './data-type.js';
import { isTensor } from './tensor.js';

/** The name under which class-validator files this check; the schema maker looks it up by it. */
export const IS_TENSOR = 'isTensor';

/**
 * Marks a DTO property as a tensor. It is checked as a whole by one loop, never element by element.
 *
 * @param dtype element type
 * @param shape axis lengths of one item, without the batch axis; `null` for a free axis
 */
export function IsTensor(
  dtype: DataType,
  shape: readonly (number | null)[],
  options?: ValidationOptions,
): PropertyDecorator {
  return ValidateBy(
    {
      name: IS_TENSOR,
      constraints: [{ dtype, shape }],
      validator: {
        validate: (value: unknown) =>
          isTensor(value) &&
          value.dtype === dtype &&
          value.shape.length === shape.length &&
          shape.every((axis, index) => axis === null || axis === value.shape[index]),
        defaultMessage: buildMessage(
          (prefix) =>
            `${prefix}$property must be a ${dtype} tensor of shape [${shape.map((axis) => axis ?? 'any').join(', ')}]`,
          options,
        ),
      },
    },
    options,
  );
}
