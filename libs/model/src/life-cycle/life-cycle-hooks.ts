import type { ItemContext } from '../handler/batch-context.js';
import { isAsyncGeneratorFunction } from '../handler/stream-handler.js';

/**
 * The steps of a model's life cycle that stand around `predict`: setup → decode → batch → predict → unbatch →
 * encode. Each is optional, and may return a promise.
 */
export interface LifeCycleHooks {
  /** Prepares the model, once in each worker, before it is ready. */
  setup?(device: string): unknown;
  /** Makes one item's input of its request. An error hits that item only. */
  decode?(request: unknown, context: ItemContext): unknown;
  /** Joins the inputs of a batch into what `predict` takes. Default: {@link stackInputs}. */
  batch?(inputs: readonly unknown[]): unknown;
  /** Splits what `predict` returned into one output an item. Default: {@link splitOutput}. */
  unbatch?(output: unknown): unknown;
  /** Makes one item's response of its output. An error hits that item only. */
  encode?(output: unknown, context: ItemContext): unknown;
}

const HOOKS_BESIDE_PREDICT = ['decode', 'batch', 'unbatch', 'encode'] as const;
const LIFE_CYCLE = Symbol.for('smartbatch.life-cycle');

/**
 * The life cycle of a model, or `undefined` for a plain handler, which takes a list and returns a list.
 *
 * A provider has one when it extends `BatchedModel`, or when its decorated method is called `predict`, or is an
 * async generator called `generate`, and it has at least one of `decode`, `batch`, `unbatch` and `encode` beside it.
 * A streaming handler's life cycle is decode → steps → encode, which is called for each token.
 *
 * @param provider the instance that has the decorated method
 * @param method the decorated method's name
 */
export function lifeCycleOf(provider: object, method: string): LifeCycleHooks | undefined {
  const hooks = provider as LifeCycleHooks;
  const hasHooks = HOOKS_BESIDE_PREDICT.some((name) => typeof hooks[name] === 'function');
  const isGenerate =
    method === 'generate' && isAsyncGeneratorFunction((provider as Record<string, unknown>)[method]);
  return LIFE_CYCLE in provider || ((method === 'predict' || isGenerate) && hasHooks) ? hooks : undefined;
}

/** Marks a class whose instances have a life cycle, also for other copies of this package. */
export function markLifeCycle(prototype: object): void {
  Object.defineProperty(prototype, LIFE_CYCLE, { value: true });
}
