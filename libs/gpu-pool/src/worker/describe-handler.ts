import type { CostBound } from '#batching';
import type { BatchedHandlerOptions, DtoClass, JsonSchema, ValueDescription } from '#model';
import type { Manifest } from '../protocol/worker-messages.js';
import { schemaOfClass } from './schema-of-class.js';

/** What the server needs to know of a handler, and the class that only the worker can hold. */
export interface HandlerDescription {
  readonly manifest: Manifest;
  readonly inputClass: DtoClass | undefined;
  /** Inputs to try it with. */
  readonly warmup: readonly unknown[];
  /** The handler's own measure of its items, where that is a function. */
  readonly cost: CostBound['cost'] | undefined;
}

/** Turns a handler's options into a manifest: its DTO classes become JSON Schemas. */
export function describeHandler(options: Partial<BatchedHandlerOptions>): HandlerDescription {
  const { input, output, cost, warmup = [], ...rest } = options;
  const handler = typeof cost === 'string' ? { ...rest, cost } : rest;
  return {
    manifest: { handler, input: toSchema(input), output: toSchema(output) },
    warmup,
    inputClass: isClass(input) ? input : undefined,
    cost: typeof cost === 'function' ? cost : undefined,
  };
}

function toSchema(description: ValueDescription | undefined): JsonSchema {
  if (description === undefined) return {};
  return isClass(description) ? schemaOfClass(description) : description;
}

function isClass(description: ValueDescription | undefined): description is DtoClass {
  return typeof description === 'function';
}
