import type { BatchedHandlerOptions, DtoClass, JsonSchema, ValueDescription } from '#model';
import type { Manifest } from '../protocol/worker-messages.js';
import { schemaOfClass } from './schema-of-class.js';

/** What the server needs to know of a handler, and the class that only the worker can hold. */
export interface HandlerDescription {
  readonly manifest: Manifest;
  readonly inputClass: DtoClass | undefined;
}

/** Turns a handler's options into a manifest: its DTO classes become JSON Schemas. */
export function describeHandler(options: Partial<BatchedHandlerOptions>): HandlerDescription {
  const { input, output, ...handler } = options;
  return {
    manifest: { handler, input: toSchema(input), output: toSchema(output) },
    inputClass: isClass(input) ? input : undefined,
  };
}

function toSchema(description: ValueDescription | undefined): JsonSchema {
  if (description === undefined) return {};
  return isClass(description) ? schemaOfClass(description) : description;
}

function isClass(description: ValueDescription | undefined): description is DtoClass {
  return typeof description === 'function';
}
