import {
  batchedHandlerOptions,
  isAsyncGeneratorFunction,
  markBatchedHandler,
  type BatchContext,
  type BatchHandler,
  type LifeCyclePredict,
  type StreamHandler,
} from '#model';
import { commitFault } from './commit-fault.js';
import type { FaultPlan } from './fault-plan.js';

type Handler = BatchHandler | LifeCyclePredict | StreamHandler;
type AnyHandler = (this: unknown, batch: unknown, context: BatchContext) => unknown;
type AnyStream = (
  this: unknown,
  batch: unknown,
  context: BatchContext,
) => AsyncGenerator<unknown, void, unknown>;

/**
 * Makes a handler commit faults, to see what they do to its clients, before it runs each batch. Stands beside
 * `@BatchedHandler()`, in either order. For tests: a server knows nothing of it.
 *
 * @example
 * ```ts
 * @InjectFaults(randomFaults({ seed: 1, rate: 0.01, faults: [{ kind: 'exit' }] }))
 * @BatchedHandler({ name: 'digits' })
 * ```
 */
export function InjectFaults(plan: FaultPlan) {
  return <H extends Handler>(
    _target: object,
    _property: string | symbol,
    descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    descriptor.value = withFaults(descriptor.value!, plan);
  };
}

/** Gives a plain function the faults that `@InjectFaults()` gives a method. */
export function withFaults<H extends Handler>(handler: H, plan: FaultPlan): H {
  const faulty = isAsyncGeneratorFunction(handler)
    ? streamWithFaults(handler as unknown as AnyStream, plan)
    : async function (this: unknown, batch: unknown, context: BatchContext) {
        await commitPlanned(plan, context);
        return (handler as unknown as AnyHandler).call(this, batch, context);
      };
  const options = batchedHandlerOptions(handler);
  if (options !== undefined) markBatchedHandler(faulty as unknown as BatchHandler, options);
  return faulty as unknown as H;
}

function streamWithFaults(handler: AnyStream, plan: FaultPlan): AnyStream {
  return async function* (batch, context) {
    await commitPlanned(plan, context);
    yield* handler.call(this, batch, context);
  };
}

async function commitPlanned(plan: FaultPlan, context: BatchContext): Promise<void> {
  const fault = plan(context);
  if (fault !== undefined) await commitFault(fault);
}
