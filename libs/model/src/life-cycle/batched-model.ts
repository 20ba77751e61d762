import type { BatchContext, ItemContext } from '../handler/batch-context.js';
import { markLifeCycle, type LifeCycleHooks } from './life-cycle-hooks.js';
import { splitOutput } from './split-output.js';
import { stackInputs } from './stack-inputs.js';

/**
 * An optional base class for models with LitServe's life cycle: setup → decode → batch → predict → unbatch →
 * encode. Override what differs; put `@BatchedHandler()` on `predict`.
 *
 * @example
 * ```ts
 * class Squares extends BatchedModel {
 *   @BatchedHandler({ name: 'squares' })
 *   predict(batch: Tensor<'float64'>) {
 *     return tensor('float64', batch.shape, batch.data.map((x) => x * x));
 *   }
 * }
 * ```
 */
export abstract class BatchedModel implements LifeCycleHooks {
  /** Runs one batch, in the form that {@link batch} gives it. */
  abstract predict(batch: unknown, context: BatchContext): unknown;

  /** Prepares the model, once in each worker, before it is ready. */
  setup(_device: string): unknown {
    return undefined;
  }

  /** Makes one item's input of its request. An error hits that item only. */
  decode(request: unknown, _context: ItemContext): unknown {
    return request;
  }

  /** Joins the inputs of a batch into what {@link predict} takes. */
  batch(inputs: readonly unknown[]): unknown {
    return stackInputs(inputs);
  }

  /** Splits what {@link predict} returned into one output an item. */
  unbatch(output: unknown): unknown {
    return splitOutput(output);
  }

  /** Makes one item's response of its output. An error hits that item only. */
  encode(output: unknown, _context: ItemContext): unknown {
    return output;
  }
}

markLifeCycle(BatchedModel.prototype);
