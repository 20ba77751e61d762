import type { CostBound } from '#batching';
import type { BatchedHandlerOptions, DtoClass, LifeCyclePredict } from '#model';
import { batchedHandlerOptions, DEVICE, lifeCycleOf, MODEL_INFO, streamingModeOf, WORKER_ID } from '#model';
import type { DynamicModule, INestApplicationContext, InjectionToken, Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer, NestFactory } from '@nestjs/core';
import type { Manifest, WorkerAssignment } from '../protocol/worker-messages.js';
import { describeHandler } from './describe-handler.js';
import type { LoadedModel } from './loaded-model.js';
import type { ModelLog, RunningModel } from './running-model.js';
import { WorkerLogger } from './worker-logger.js';

type ModuleDefinition = Type | DynamicModule;

interface FoundHandler {
  readonly token: InjectionToken;
  readonly method: string;
  readonly options: BatchedHandlerOptions;
}

/** Stands for a worker's assignment in a preview, in which no provider sees it. */
const UNASSIGNED: WorkerAssignment = {
  workerId: 0,
  device: 'cpu',
  model: { name: '', version: '', intraOpThreads: 1 },
  maxBatchCost: undefined,
  maxBatchSize: 1,
  selfCheck: 'off',
};

/** A model that is a Nest module with a `@BatchedHandler()` method on one of its providers. */
export class NestModel implements LoadedModel {
  readonly manifest: Manifest;
  readonly inputClass: DtoClass | undefined;
  readonly warmup: readonly unknown[];
  readonly cost: CostBound['cost'] | undefined;
  readonly #module: ModuleDefinition;
  readonly #handler: FoundHandler;

  /** @throws {Error} when the module has no such handler, or several and none is named */
  static async of(module: ModuleDefinition, handlerName: string | undefined): Promise<NestModel> {
    // A preview resolves the module graph, and makes no provider: nothing of the model runs before its options
    // are known.
    const preview = await NestFactory.createApplicationContext(withAssignment(module, UNASSIGNED), {
      preview: true,
      logger: false,
      abortOnError: false,
    });
    return new NestModel(module, selectHandler(findHandlers(preview), handlerName));
  }

  private constructor(module: ModuleDefinition, handler: FoundHandler) {
    const { manifest, inputClass, warmup, cost } = describeHandler(handler.options);
    this.manifest = manifest;
    this.inputClass = inputClass;
    this.warmup = warmup;
    this.cost = cost;
    this.#module = module;
    this.#handler = handler;
  }

  async start(assignment: WorkerAssignment, log: ModelLog): Promise<RunningModel> {
    const context = await NestFactory.createApplicationContext(withAssignment(this.#module, assignment), {
      logger: new WorkerLogger(log),
      abortOnError: false,
    });
    const { token, method, options } = this.#handler;
    const provider = context.get<Record<string, LifeCyclePredict>>(token, { strict: false });
    const hooks = lifeCycleOf(provider, method);
    await hooks?.setup?.(assignment.device);
    const handle = provider[method]!.bind(provider);
    const streaming = streamingModeOf(options);
    return { handler: { handle, hooks, streaming }, close: () => context.close() };
  }
}

/** Whether `value` is a class that `@Module()` was put on, or a dynamic module. */
export function isNestModule(value: unknown): value is ModuleDefinition {
  // What a forRoot() returns; the class in it may say nothing by itself.
  if (typeof value === 'object' && value !== null)
    return 'module' in value && typeof value.module === 'function';
  if (typeof value !== 'function') return false;
  return Object.values(MODULE_METADATA).some((key) => Reflect.hasOwnMetadata(key, value));
}

function withAssignment(module: ModuleDefinition, assignment: WorkerAssignment): DynamicModule {
  class AssignmentModule {}
  class WorkerRoot {}
  const providers = [
    { provide: DEVICE, useValue: assignment.device },
    { provide: WORKER_ID, useValue: assignment.workerId },
    { provide: MODEL_INFO, useValue: assignment.model },
  ];
  const exports = providers.map(({ provide }) => provide);
  return {
    module: WorkerRoot,
    imports: [{ module: AssignmentModule, global: true, providers, exports }, module],
  };
}

function findHandlers(context: INestApplicationContext): FoundHandler[] {
  const scanner = new MetadataScanner();
  const found: FoundHandler[] = [];
  for (const module of context.get(ModulesContainer, { strict: false }).values()) {
    for (const [token, { metatype }] of module.providers) {
      const prototype = (metatype as Type | null)?.prototype as Record<string, unknown> | undefined;
      if (!prototype) continue;
      for (const method of scanner.getAllMethodNames(prototype)) {
        const options = batchedHandlerOptions(prototype[method]);
        if (options !== undefined) found.push({ token, method, options });
      }
    }
  }
  return found;
}

function selectHandler(found: readonly FoundHandler[], name: string | undefined): FoundHandler {
  const matching = name === undefined ? found : found.filter(({ options }) => options.name === name);
  const [only, ...others] = matching;
  const names = found.map(({ options }) => options.name).join(', ');
  if (only === undefined) {
    throw new Error(
      found.length === 0
        ? 'no provider of the module has a @BatchedHandler() method'
        : `the module has no handler named '${name}', it has ${names}`,
    );
  }
  if (others.length > 0)
    throw new Error(`the module has several handlers (${names}); say which one is meant`);
  return only;
}
