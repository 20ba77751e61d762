import { DEFAULT_MODEL_OPTIONS, ServingError, type Fault, type ModelOptions } from '#model';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { OPTION_TABLE, type OptionDescription } from './option-table.js';

const ajv = new Ajv({ allErrors: true, strictTypes: false });
ajv.addKeyword({
  keyword: 'ascending',
  type: 'array',
  validate: (_: true, values: readonly number[]) =>
    values.every((value, i) => i === 0 || values[i - 1]! < value),
  error: { message: 'must be in ascending order' },
});

const validateRest: ValidateFunction = ajv.compile(restSchema(OPTION_TABLE));

/** The options as they came from REST or a file; unknown names and bad values are refused. */
export function readRestOptions(rest: Readonly<Record<string, unknown>>): Partial<ModelOptions> {
  if (!validateRest(rest)) throw invalid(validateRest.errors!, (restName) => restName);
  const options: Record<string, unknown> = {};
  for (const { name, restName, seconds } of OPTION_TABLE) {
    const value = valueAt(rest, restName);
    if (value !== undefined) options[name] = seconds === true ? round(Number(value) * 1000) : value;
  }
  return options;
}

/** The options as REST shows them: every one that is set, times in seconds. */
export function toRestOptions(options: Partial<ModelOptions>): Record<string, unknown> {
  const rest: Record<string, unknown> = {};
  for (const { name, restName, seconds } of OPTION_TABLE) {
    const value = options[name];
    if (value === undefined) continue;
    const [outer, inner] = restName.split('.') as [string, string?];
    const shown = seconds === true ? round(Number(value) / 1000) : value;
    if (inner === undefined) rest[outer] = shown;
    else rest[outer] = { ...(rest[outer] as object | undefined), [inner]: shown };
  }
  return rest;
}

/**
 * What holds for a model version: the operator's word before the author's, and that before the defaults. Batches are
 * never larger than the model can take.
 *
 * @throws {ServingError} `invalid_options`, naming each option by its TypeScript name
 */
export function effectiveOptions(
  author: Partial<ModelOptions> & { readonly batchSizeLimit?: number },
  operator: Partial<ModelOptions>,
): ModelOptions {
  const options: Record<string, unknown> = { ...DEFAULT_MODEL_OPTIONS };
  for (const { name } of OPTION_TABLE) {
    const value = operator[name] ?? author[name];
    if (value !== undefined) options[name] = value;
  }
  const { batchSizeLimit = Infinity } = author;
  options['maxBatchSize'] = Math.min(options['maxBatchSize'] as number, batchSizeLimit);
  const effective = options as unknown as ModelOptions;
  if (!validateRest(toRestOptions(effective))) throw invalid(validateRest.errors!, typeScriptName);
  return effective;
}

/** JSON Schemas of the options by their REST names. */
export function optionsSchema(): Record<string, object> {
  return restProperties(OPTION_TABLE);
}

function restSchema(table: readonly OptionDescription[]): object {
  return { type: 'object', properties: restProperties(table), additionalProperties: false };
}

function restProperties(table: readonly OptionDescription[]): Record<string, object> {
  const properties: Record<string, object> = {};
  for (const { restName, schema } of table) {
    const [outer] = restName.split('.') as [string];
    const prefix = `${outer}.`;
    const members = table.filter((option) => option.restName.startsWith(prefix));
    properties[outer] =
      members.length === 0
        ? schema
        : restSchema(
            members.map((member) => ({ ...member, restName: member.restName.slice(prefix.length) })),
          );
  }
  return properties;
}

function valueAt(rest: Readonly<Record<string, unknown>>, restName: string): unknown {
  const [outer, inner] = restName.split('.') as [string, string?];
  if (inner === undefined) return rest[outer];
  return (rest[outer] as Readonly<Record<string, unknown>> | undefined)?.[inner];
}

/** Thousandths in binary are seldom exact: 0.0021 s must not come back as 0.0021000000000000003 s. */
function round(value: number): number {
  return Number(value.toPrecision(12));
}

function typeScriptName(restName: string): string {
  const option = OPTION_TABLE.find((candidate) => candidate.restName === restName);
  if (option === undefined) return restName;
  return option.seconds === true ? `${option.name} (in seconds)` : option.name;
}

function invalid(errors: readonly ErrorObject[], nameOf: (restName: string) => string): ServingError {
  const faults = errors.map(({ instancePath, keyword, params, message = 'is invalid' }): Fault => {
    const [, outer = '', ...rest] = instancePath.split('/');
    if (keyword === 'additionalProperties') {
      const { additionalProperty } = params as { additionalProperty: string };
      return {
        field: outer === '' ? additionalProperty : `${outer}.${additionalProperty}`,
        message: 'is not an option',
      };
    }
    const member = `${outer}.${rest[0]}`;
    if (OPTION_TABLE.some(({ restName }) => restName === member)) {
      return { field: [nameOf(member), ...rest.slice(1)].join('/'), message };
    }
    return { field: [nameOf(outer), ...rest].join('/'), message };
  });
  const message = faults.map((fault) => `${fault.field} ${fault.message}`).join('; ');
  return new ServingError('invalid_options', message, { faults });
}
