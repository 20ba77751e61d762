import { ServingError, type Fault, type JsonSchema } from '#model';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { TENSOR_KEYWORD } from './tensor-keyword.js';

/** What a request's body holds. */
export interface PredictEnvelope {
  readonly data: unknown;
  readonly parameters: Record<string, unknown>;
}

/** Deeper values are refused, since code that walks them, here and in models, recurses. */
const DEEPEST = 64;

/** Checks request bodies against one model version's input description, compiled once. */
export class InputValidator {
  readonly #validate: ValidateFunction;

  /**
   * @param input description of one item
   * @throws {ServingError} `model_not_loadable` when it is not a valid schema
   */
  constructor(input: JsonSchema) {
    const ajv = new Ajv({ validateFormats: false, strictTypes: false, strictTuples: false, logger: false });
    ajv.addKeyword(TENSOR_KEYWORD);
    ajv.addVocabulary(['example']);
    const { definitions = {}, ...data } = input;
    try {
      this.#validate = ajv.compile({
        type: 'object',
        required: ['data'],
        properties: { data, parameters: { type: 'object' } },
        additionalProperties: false,
        definitions,
      });
    } catch (error) {
      const message = `its input description is not a valid JSON Schema: ${(error as Error).message}`;
      throw new ServingError('model_not_loadable', message, { cause: error });
    }
  }

  /**
   * Checks a decoded body. Tensors in it are replaced by what the model gets.
   *
   * @throws {ServingError} `invalid_input`, naming the faulty field and what would be right
   */
  validate(body: unknown): PredictEnvelope {
    if (!this.#validate(body)) throw invalid(this.#validate.errors!.map(toFault));
    const { data, parameters = {} } = body as { data: unknown; parameters?: Record<string, unknown> };
    if (isDeeperThan(DEEPEST, data) || isDeeperThan(DEEPEST, parameters)) {
      throw invalid([{ field: '/data', message: `must not be nested deeper than ${DEEPEST} levels` }]);
    }
    return { data, parameters };
  }
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

function isDeeperThan(limit: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  if (limit === 0) return true;
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeperThan(limit - 1, member));
}
