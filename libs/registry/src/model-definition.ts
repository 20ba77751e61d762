import type { ModelSource } from '#gpu-pool';
import type { RunnableHandler } from '#batching';
import type { BatchedHandlerOptions, ModelOptions } from '#model';

interface DefinitionBase {
  /** Default: the handler's own name. */
  readonly name?: string;
  /** Default: the handler's own version, else `1`. */
  readonly version?: string;
  /** Whether the server is not ready without it. Default: yes for one that is configured, no for one that comes later. */
  readonly required?: boolean;
  /** What the operator says, before what the author says. */
  readonly options?: Partial<ModelOptions>;
}

/** A model whose code runs in workers of its own. */
export interface WorkerModelDefinition extends DefinitionBase {
  readonly source: ModelSource;
}

/** A model whose handler runs on this thread: for handlers that await I/O. */
export interface InlineModelDefinition extends DefinitionBase {
  readonly handler: RunnableHandler;
  readonly handlerOptions: BatchedHandlerOptions;
}

/** A model that is known not to be servable, so that its reason can be seen where models are listed. */
export interface FaultyModelDefinition extends DefinitionBase {
  /** Why, without paths. */
  readonly fault: string;
}

/** What the registry needs to know to serve a model. */
export type ModelDefinition = WorkerModelDefinition | InlineModelDefinition | FaultyModelDefinition;
