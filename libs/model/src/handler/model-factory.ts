/** What a worker knows before its model has said anything of itself. */
export interface ModelPlace {
  /** `cpu`, `cuda:0`, … */
  readonly device: string;
  /** CPU threads for one inference, as far as they are known before the model's own options: at least 1. */
  readonly intraOpThreads: number;
}

/**
 * Makes a model of settings, when its worker loads it: a Nest module with a `@BatchedHandler()`.
 *
 * @param settings what its source says, for example which file to serve
 */
export type ModelFactory<S = Readonly<Record<string, unknown>>> = (
  settings: S,
  place: ModelPlace,
) => object | Promise<object>;

// Symbol.for, as for the marks of handlers.
const MODEL_FACTORY = Symbol.for('smartbatch.model-factory');

/** Marks a function as one that makes models, where any other exported function would be the model itself. */
export function modelFactory<S>(factory: ModelFactory<S>): ModelFactory<S> {
  Object.defineProperty(factory, MODEL_FACTORY, { value: true });
  return factory;
}

/** Whether `value` was marked by {@link modelFactory}. */
export function isModelFactory(value: unknown): value is ModelFactory {
  return typeof value === 'function' && MODEL_FACTORY in value;
}
