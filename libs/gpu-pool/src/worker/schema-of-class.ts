import { IS_TENSOR, type DtoClass, type JsonSchema } from '#model';
import classTransformer from 'class-transformer/cjs/storage.js';
import { targetConstructorToSchema, validationMetadatasToSchemas } from 'class-validator-jsonschema';

const OPTIONS = {
  classTransformerMetadataStorage: classTransformer.defaultMetadataStorage,
  refPointerPrefix: '#/definitions/',
  additionalConverters: {
    // A JSON Schema's pattern has no flags: those that have some are checked in the worker.
    matches: (meta: { constraints?: unknown[] }): Record<string, string> => {
      const { source, flags } = new RegExp(
        meta.constraints?.[0] as RegExp,
        meta.constraints?.[1] as string | undefined,
      );
      return flags === '' ? { type: 'string', pattern: source } : { type: 'string' };
    },
    [IS_TENSOR]: (meta: { constraints?: unknown[] }) => ({ tensor: meta.constraints?.[0] }),
  },
};

/**
 * The JSON Schema of a DTO, from its class-validator decorators. Properties that have none are refused, as
 * by `forbidNonWhitelisted`.
 */
export function schemaOfClass(dto: DtoClass): JsonSchema {
  const all = validationMetadatasToSchemas(OPTIONS) as Record<string, object>;
  const definitions = Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, closed(schema)]));
  return { ...closed(targetConstructorToSchema(dto, OPTIONS)), definitions };
}

function closed(schema: object): JsonSchema {
  return { ...schema, additionalProperties: false };
}
