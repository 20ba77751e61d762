import type { DataType, JsonSchema, TensorSpec } from '#model';

/** A description need not show a whole picture. */
const LARGEST_TENSOR = 1024;
const DEEPEST = 16;

/**
 * A value that a description would accept, as far as that can be told: the first of what it lists, else the least of what it
 * asks for. It may break rules that are no recipe, such as a pattern.
 *
 * @returns `undefined` where the description says nothing, or asks for more than fits into a page
 */
export function exampleOfSchema(schema: JsonSchema): unknown {
  const definitions = (schema['definitions'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  return exampleOf(schema, definitions, 0);
}

type Definitions = Readonly<Record<string, JsonSchema>>;

function exampleOf(schema: JsonSchema, definitions: Definitions, depth: number): unknown {
  // A description may refer to itself.
  if (depth > DEEPEST) return undefined;
  const listed = listedExample(schema);
  if (listed !== undefined) return listed;
  const { $ref, anyOf, oneOf, allOf, tensor } = schema as JsonSchema & Compound;
  if (Array.isArray(tensor?.shape)) return tensorExample(tensor);
  const other = $ref === undefined ? (anyOf?.[0] ?? oneOf?.[0]) : definitions[$ref.replace(/^.*\//, '')];
  if (other !== undefined) return exampleOf(other, definitions, depth + 1);
  if (allOf?.length === 1) return exampleOf(allOf[0]!, definitions, depth + 1);
  return exampleOfType(schema, definitions, depth);
}

interface Compound {
  readonly $ref?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

function listedExample(schema: JsonSchema): unknown {
  const { examples, enum: values } = schema as { readonly examples?: unknown; readonly enum?: unknown };
  if (schema['example'] !== undefined) return schema['example'];
  if (Array.isArray(examples)) return examples[0] as unknown;
  if (schema['const'] !== undefined) return schema['const'];
  if (schema['default'] !== undefined) return schema['default'];
  return Array.isArray(values) ? (values[0] as unknown) : undefined;
}

function exampleOfType(schema: JsonSchema, definitions: Definitions, depth: number): unknown {
  const type: unknown = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type) {
    case 'string':
      return 'text'.padEnd(numberOf(schema, 'minLength') ?? 0, '.').slice(0, numberOf(schema, 'maxLength'));
    case 'integer':
    case 'number':
      return numberExample(schema);
    case 'boolean':
      return true;
    case 'array':
      return arrayExample(schema, definitions, depth);
    case 'object':
      return objectExample(schema, definitions, depth);
    default:
      return undefined;
  }
}

function numberExample(schema: JsonSchema): number {
  const above = numberOf(schema, 'exclusiveMinimum');
  const least = numberOf(schema, 'minimum') ?? (above === undefined ? undefined : above + 1) ?? 1;
  return Math.min(least, numberOf(schema, 'maximum') ?? Infinity);
}

function arrayExample(schema: JsonSchema, definitions: Definitions, depth: number): unknown {
  const item = exampleOf((schema['items'] ?? {}) as JsonSchema, definitions, depth + 1);
  const length = Math.max(1, numberOf(schema, 'minItems') ?? 1);
  return item === undefined || length > LARGEST_TENSOR ? undefined : Array<unknown>(length).fill(item);
}

function objectExample(schema: JsonSchema, definitions: Definitions, depth: number): unknown {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = (schema['required'] ?? []) as readonly string[];
  const members = Object.entries(properties).map(([name, property]): [string, unknown] => [
    name,
    exampleOf(property, definitions, depth + 1),
  ]);
  if (members.some(([name, value]) => value === undefined && required.includes(name))) return undefined;
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function tensorExample({ dtype, shape }: TensorSpec): unknown {
  const axes = shape.map((axis) => axis ?? 1);
  if (axes.reduce((product, axis) => product * axis, 1) > LARGEST_TENSOR) return undefined;
  return axes.reduceRight<unknown>((rows, axis) => Array<unknown>(axis).fill(rows), elementExample(dtype));
}

function elementExample(dtype: DataType): unknown {
  if (dtype === 'string') return 'text';
  if (dtype === 'bool') return true;
  return dtype.startsWith('float') ? 0.5 : 1;
}

function numberOf(schema: JsonSchema, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' ? value : undefined;
}
