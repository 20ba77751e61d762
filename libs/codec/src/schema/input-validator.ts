import { ServingError, type Fault, type JsonSchema } from '#model';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { CheckedBody } from './checked-body.js';
import type { PredictEnvelope } from './predict-envelope.js';
import { TENSOR_KEYWORD } from './tensor-keyword.js';

interface Body {
  readonly data?: unknown;
  readonly inputs?: readonly unknown[];
  readonly parameters?: Record<string, unknown>;
}

/** Deeper values are refused, since code that walks them, here and in models, recurses. */
const DEEPEST = 64;

/** Checks request bodies against one model version's input description, compiled once. */
export class InputValidator {
  readonly #description: string;
  readonly #validateOne: ValidateFunction;
  readonly #validateList: ValidateFunction;

  /**
   * @param input description of one item
   * @throws {ServingError} `model_not_loadable` when it is not a valid schema
   */
  constructor(input: JsonSchema) {
    this.#description = JSON.stringify(input);
    const { definitions = {}, ...item } = input;
    try {
      this.#validateOne = compile({ data: item }, definitions);
      this.#validateList = compile({ inputs: { type: 'array', items: item, minItems: 1 } }, definitions);
    } catch (error) {
      const message = `its input description is not a valid JSON Schema: ${(error as Error).message}`;
      throw new ServingError('model_not_loadable', message, { cause: error });
    }
  }

  /**
   * Checks a decoded body, unless that was done before. Tensors in it are replaced by what the model gets.
   *
   * @throws {ServingError} `invalid_input`, naming the faulty field and what would be right
   */
  validate(body: unknown): PredictEnvelope {
    if (!(body instanceof CheckedBody)) return this.#check(body);
    return body.description === this.#description ? body.envelope : this.#check(body.restore());
  }

  #check(body: unknown): PredictEnvelope {
    const isList = typeof body === 'object' && body !== null && 'inputs' in body;
    const validate = isList ? this.#validateList : this.#validateOne;
    // First, since a description that refers to itself would follow a value down.
    assertShallow(body);
    if (!validate(body)) throw invalid(validate.errors!.map(toFault));
    const { data, inputs, parameters = {} } = body as Body;
    return { items: inputs ?? [data], isList, parameters };
  }
}

function compile(field: Record<string, object>, definitions: unknown): ValidateFunction {
  const ajv = new Ajv({ validateFormats: false, strictTypes: false, strictTuples: false, logger: false });
  ajv.addKeyword(TENSOR_KEYWORD);
  ajv.addVocabulary(['example']);
  return ajv.compile({
    type: 'object',
    required: Object.keys(field),
    properties: { ...field, parameters: { type: 'object' } },
    additionalProperties: false,
    definitions,
  });
}

function invalid(faults: readonly Fault[]): ServingError {
  const message = faults.map(({ field, message: text }) => `${field} ${text}`.trim()).join('; ');
  return new ServingError('invalid_input', message, { faults });
}

function toFault({ instancePath, keyword, message = 'is invalid', params }: ErrorObject): Fault {
  const { missingProperty, additionalProperty, allowedValues } = params as Record<string, unknown>;
  switch (keyword) {
    case 'required':
      return { field: `${instancePath}/${String(missingProperty)}`, message: 'is required' };
    case 'additionalProperties':
      return { field: `${instancePath}/${String(additionalProperty)}`, message: 'is not a known field' };
    case 'enum':
      return { field: instancePath, message: `must be one of ${JSON.stringify(allowedValues)}` };
    default:
      return { field: instancePath === '' ? 'the body' : instancePath, message };
  }
}

function assertShallow(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  for (const [name, value] of Object.entries(body)) {
    // Each of the inputs may be as deep as a single one.
    const levels = name === 'inputs' ? DEEPEST + 1 : DEEPEST;
    if (!isDeeperThan(levels, value)) continue;
    throw invalid([{ field: `/${name}`, message: `must not be nested deeper than ${DEEPEST} levels` }]);
  }
}

function isDeeperThan(limit: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  if (limit === 0) return true;
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeperThan(limit - 1, member));
}
