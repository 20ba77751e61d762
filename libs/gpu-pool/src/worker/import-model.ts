import type { BatchHandler, ModelPlace } from '#model';
import { batchedHandlerOptions, isAsyncGeneratorFunction, isModelFactory, streamingModeOf } from '#model';
import type { Type } from '@nestjs/common';
import type { ModelSource } from '../protocol/worker-messages.js';
import { describeHandler } from './describe-handler.js';
import type { LoadedModel } from './loaded-model.js';
import { isNestModule, NestModel } from './nest-model.js';
import { acceptTypeScript, isTypeScript } from './typescript/accept-typescript.js';

/**
 * Imports a model's code and finds its handler.
 *
 * @throws {Error} when there is no such module or export, or it is neither a Nest module with a
 *   `@BatchedHandler()` nor a function
 */
export async function importModel(source: ModelSource, place: ModelPlace): Promise<LoadedModel> {
  if (isTypeScript(source.specifier)) await acceptTypeScript(source.specifier);
  const exports = (await import(source.specifier)) as Record<string, unknown>;
  const selected = selectExport(exports, source.exportName);
  const model = isModelFactory(selected) ? await selected(source.settings ?? {}, place) : selected;
  if (isNestModule(model)) return NestModel.of(model, source.handlerName);
  return functionModel(model as BatchHandler<unknown, unknown>);
}

function functionModel(handler: BatchHandler<unknown, unknown>): LoadedModel {
  const options = batchedHandlerOptions(handler) ?? { streaming: isAsyncGeneratorFunction(handler) };
  const streaming = streamingModeOf(options);
  return {
    ...describeHandler(options),
    start: async () => ({ handler: { handle: handler, streaming }, close: async () => undefined }),
  };
}

function selectExport(exports: Record<string, unknown>, name: string | undefined): unknown {
  const candidates = Object.entries(exports).filter(([, value]) => isModel(value));
  const known = `it exports ${Object.keys(exports).join(', ') || 'nothing'}`;
  if (name !== undefined) {
    const value = Object.hasOwn(exports, name) ? exports[name] : undefined;
    if (isModel(value)) return value;
    const fault = Object.hasOwn(exports, name) ? 'is neither a Nest module nor a function' : 'does not exist';
    throw new Error(`export '${name}' ${fault}; ${known}`);
  }
  if (isModel(exports['default'])) return exports['default'];
  // A module file usually exports its providers and DTOs beside the module.
  const modules = candidates.filter(([, value]) => isNestModule(value));
  const [only, ...others] = modules.length > 0 ? modules : candidates;
  if (only === undefined) throw new Error(`no export is a Nest module or a function; ${known}`);
  if (others.length > 0) {
    const names = [only, ...others].map(([candidate]) => candidate).join(', ');
    throw new Error(`several exports could be the model (${names}); say which one is meant`);
  }
  return only[1];
}

function isModel(value: unknown): value is Type | BatchHandler<unknown, unknown> {
  return isNestModule(value) || (typeof value === 'function' && !isClass(value));
}

function isClass(value: object): boolean {
  return Function.prototype.toString.call(value).startsWith('class');
}
