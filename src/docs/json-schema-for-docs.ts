import type { DataType, JsonSchema, TensorSpec } from '#model';

/** The description with tensors spelled out as what a client sends, for readers who know plain JSON Schema. */
export function forDocs(schema: JsonSchema): Record<string, unknown> {
  const { definitions = {}, ...rest } = spellOut(schema) as Record<string, object>;
  return Object.keys(definitions).length === 0 ? rest : { ...rest, $defs: definitions };
}

function spellOut(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(spellOut);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { tensor, ...rest } = schema as JsonSchema;
  const described = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, spellOut(value)]));
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
