import { splitOutput, stackInputs, type BatchContext, type LifeCycleHooks, type StreamingMode } from '#model';
import { checkBatchResult } from '../result/batch-result.js';
import { toBatchError } from '../result/handler-error.js';
import { partsWithinCost, type CostBound } from './cost-parts.js';
import type { RunContext } from './run-context.js';

/** A handler, with the life cycle that stands around it, if it has one. */
export interface RunnableHandler {
  readonly handle: (batch: never, context: BatchContext) => unknown;
  readonly hooks?: LifeCycleHooks | undefined;
  /** The model's own measure, where it has one that is a function. */
  readonly bound?: CostBound | undefined;
  /** Set when it is an async generator: `HandlerStream` runs it then. */
  readonly streaming?: StreamingMode | undefined;
}

/**
 * Runs one batch through a handler's life cycle. An item whose decoding or encoding fails gets its own error;
 * the handler sees the others only.
 *
 * @param values one value an item; an `Error` stands for an item that has failed already
 * @returns one result an item; an `Error` stands for its own item
 * @throws {ServingError} `handler_failed` or `contract_violation`, for the batch as a whole
 */
export async function runHandler(
  handler: RunnableHandler,
  values: readonly unknown[],
  context: RunContext,
): Promise<readonly unknown[]> {
  const { hooks, bound } = handler;
  const results = [...values];
  await forEachAlive(
    results,
    hooks?.decode && ((value, index) => hooks.decode!(value, context.items[index]!)),
  );
  const parts = bound === undefined ? [aliveIn(results)] : partsWithinCost(results, bound);
  try {
    for (const indices of parts) {
      if (indices.length === 0) continue;
      const inputs = indices.map((index) => results[index]);
      const output = await runBatch(handler, inputs, context.only(indices));
      indices.forEach((index, position) => {
        results[index] = output[position];
      });
    }
  } catch (error) {
    throw toBatchError(error);
  }
  await forEachAlive(
    results,
    hooks?.encode && ((value, index) => hooks.encode!(value, context.items[index]!)),
  );
  return results;
}

function aliveIn(results: readonly unknown[]): number[] {
  return [...results.keys()].filter((index) => !(results[index] instanceof Error));
}

async function runBatch(
  { handle, hooks }: RunnableHandler,
  inputs: unknown[],
  context: RunContext,
): Promise<readonly unknown[]> {
  // A plain handler takes a list and returns a list, whatever is in it.
  if (hooks === undefined) return checkBatchResult(await handle(inputs as never, context), inputs.length);
  const batch = hooks.batch === undefined ? stackInputs(inputs) : await hooks.batch(inputs);
  const output = await handle(batch as never, context);
  const outputs = hooks.unbatch === undefined ? splitOutput(output) : await hooks.unbatch(output);
  return checkBatchResult(outputs, inputs.length);
}

/** Replaces each result that is no error by what the step makes of it, or by the error that it throws. */
export async function forEachAlive(
  results: unknown[],
  step: ((value: unknown, index: number) => unknown) | undefined,
): Promise<void> {
  if (step === undefined) return;
  const steps = results.map(async (value, index) => {
    if (value instanceof Error) return;
    try {
      results[index] = await step(value, index);
    } catch (error) {
      results[index] = error instanceof Error ? error : new Error(String(error));
    }
  });
  await Promise.all(steps);
}
