import type { StepOutput } from '#batching';
import { ServingError, packArrays } from '#model';
import { toWire } from '../protocol/wire-error.js';
import type { ResultMessage, StepMessage } from '../protocol/worker-messages.js';

/** Makes the answer to a batch of the handler's results, in which errors stand for their own item. */
export function toResultMessage(batch: number, results: readonly unknown[]): ResultMessage {
  const errors: ResultMessage['errors'][number][] = [];
  const values = results.map((result, index) => {
    if (!(result instanceof Error)) return result;
    errors.push({ index, error: toWire(result) });
    return null;
  });
  return { type: 'result', batch, values, errors };
}

/** Makes the answer to a step of a streaming batch. */
export function toStepMessage(batch: number, { entries, done }: StepOutput): StepMessage {
  const { values, errors } = toResultMessage(
    batch,
    entries.map(({ value }) => value),
  );
  const sequences = entries.map(({ sequence }) => sequence);
  return { type: 'step', batch, sequences, values, errors, done };
}

/** The same answer, in which results that no thread can be sent, such as functions, are errors of their item. */
export function withoutUnsendable<M extends ResultMessage | StepMessage>(message: M): M {
  const failed = new Set(message.errors.map(({ index }) => index));
  const results = message.values.map((value, index) => (failed.has(index) ? null : sendable(value)));
  const { values, errors } = toResultMessage(message.batch, results);
  return { ...message, values, errors: [...message.errors, ...errors] };
}

function sendable(value: unknown): unknown {
  try {
    structuredClone(packArrays([value]).values);
    return value;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return new ServingError('contract_violation', `the result cannot be sent: ${reason}`);
  }
}
