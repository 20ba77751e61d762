import type { DataType, JsonSchema, TensorSpec } from '#model';

const DEFINITION = '#/definitions/';

/**
 * A model's description as readers of an OpenAPI document want it: tensors spelled out as what a client sends, and
 * references to where {@link definitionsForDocs} puts the definitions.
 */
export function forDocs(schema: JsonSchema, model: string): Record<string, unknown> {
  const { definitions: _, ...rest } = schema;
  return rewrite(rest, model) as Record<string, unknown>;
}

/** The definitions of a model's description, under names that no other model's have. */
export function definitionsForDocs(schema: JsonSchema, model: string): Record<string, unknown> {
  const definitions = Object.entries((schema['definitions'] as Record<string, JsonSchema> | undefined) ?? {});
  return Object.fromEntries(
    definitions.map(([name, definition]) => [`${model}.${name}`, rewrite(definition, model)]),
  );
}

function rewrite(schema: unknown, model: string): unknown {
  if (Array.isArray(schema)) return schema.map((each) => rewrite(each, model));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...others } = schema as JsonSchema & { $ref?: unknown };
  // A property may be called tensor too.
  const tensor = Array.isArray(others.tensor?.shape) ? others.tensor : undefined;
  const { tensor: _, ...rest } = others;
  const described: Record<string, unknown> = Object.fromEntries(
    Object.entries(tensor === undefined ? others : rest).map(([key, value]) => [key, rewrite(value, model)]),
  );
  if (typeof $ref === 'string') {
    described['$ref'] = $ref.startsWith(DEFINITION)
      ? `#/components/schemas/${model}.${$ref.slice(DEFINITION.length)}`
      : $ref;
  }
  return tensor === undefined ? described : { ...described, anyOf: [nested(tensor), explicit(tensor)] };
}

function nested({ dtype, shape }: TensorSpec): object {
  return shape.reduceRight<object>(
    (items, axis) => ({ type: 'array', items, ...(axis === null ? {} : { minItems: axis, maxItems: axis }) }),
    elementSchema(dtype),
  );
}

function explicit({ dtype, shape }: TensorSpec): object {
  return {
    type: 'object',
    required: ['dtype', 'shape', 'data'],
    properties: {
      dtype: { const: dtype },
      shape: { type: 'array', items: { type: 'integer' }, minItems: shape.length, maxItems: shape.length },
      data: { type: 'array', items: elementSchema(dtype), description: 'Row-major; bytes in MessagePack.' },
    },
  };
}

function elementSchema(dtype: DataType): object {
  if (dtype === 'string') return { type: 'string' };
  if (dtype === 'bool') return { type: 'boolean' };
  return { type: dtype.startsWith('float') ? 'number' : 'integer' };
}
