import { IS_TENSOR, type DtoClass, type JsonSchema } from '#model';
import classTransformer from 'class-transformer/cjs/storage.js';
import { targetConstructorToSchema, validationMetadatasToSchemas } from 'class-validator-jsonschema';

const OPTIONS = {
  classTransformerMetadataStorage: classTransformer.defaultMetadataStorage,
  refPointerPrefix: '#/definitions/',
  additionalConverters: {
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
