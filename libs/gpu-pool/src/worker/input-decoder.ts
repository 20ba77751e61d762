import { IS_TENSOR, ServingError, type DtoClass, type Fault } from '#model';
import { getMetadataStorage, validateSync, ValidationTypes, type ValidationError } from 'class-validator';
import { toInstance } from './to-instance.js';

/** The checks of class-validator that a JSON Schema expresses exactly; they have run on the HTTP thread. */
const EXPRESSED_BY_SCHEMA = new Set<string | undefined>(
  (
    'isOptional isDefined isInt isString isBoolean isArray isObject min max isPositive ' +
    'minLength maxLength isLength isIn isNotIn isEnum equals arrayMinSize arrayMaxSize arrayNotEmpty'
  ).split(' '),
).add(IS_TENSOR);

/**
 * Makes the handler's DTO of a value that has passed the JSON Schema on the HTTP thread, and runs what
 * checks of the class no schema can express: custom validators, `@ValidateIf`, formats such as `@IsEmail`.
 */
export class InputDecoder {
  readonly #dto: DtoClass | undefined;
  readonly #validates: boolean;

  constructor(dto: DtoClass | undefined) {
    this.#dto = dto;
    this.#validates = dto !== undefined && hasChecksBeyondSchema(dto);
  }

  /** The handler's input, or the error that its client gets. */
  decode(value: unknown): unknown {
    if (this.#dto === undefined) return value;
    try {
      const instance = toInstance(this.#dto, value as object);
      if (!this.#validates) return instance;
      const faults = validateSync(instance).flatMap((error) => toFaults(error, '/data'));
      if (faults.length === 0) return instance;
      const message = faults.map((fault) => `${fault.field} ${fault.message}`).join('; ');
      return new ServingError('invalid_input', message, { faults });
    } catch (error) {
      return new ServingError('invalid_input', 'a check of the model failed on this input', { cause: error });
    }
  }
}

function hasChecksBeyondSchema(dto: DtoClass): boolean {
  const checks = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  return checks.some(
    ({ type, name, constraints }) =>
      type === ValidationTypes.NESTED_VALIDATION ||
      !(EXPRESSED_BY_SCHEMA.has(name) || isPlainNumber(name, constraints)),
  );
}

/** `@IsNumber()` without options such as `maxDecimalPlaces`, which no schema has. */
function isPlainNumber(name: string | undefined, constraints: readonly unknown[] | undefined): boolean {
  return name === 'isNumber' && Object.keys(constraints?.[0] ?? {}).length === 0;
}

function toFaults(error: ValidationError, parent: string): Fault[] {
  const field = `${parent}/${error.property}`;
  const own = Object.values(error.constraints ?? {}).map((message) => ({ field, message }));
  return [...own, ...(error.children ?? []).flatMap((child) => toFaults(child, field))];
}
