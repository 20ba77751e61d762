import { ServingError } from '#model';
import { describe } from './batch-result.js';

/**
 * Checks what a streaming handler yielded for one step: an array with exactly one entry a sequence.
 *
 * @param step what the handler yielded
 * @param isLive for each place of the handler's list, whether its sequence still runs; other entries are not looked at
 * @throws {ServingError} `contract_violation`
 */
export function checkStep(step: unknown, isLive: readonly boolean[]): readonly unknown[] {
  const size = isLive.length;
  const expected = `each step must yield an array of ${size} ${size === 1 ? 'token' : 'tokens'}`;
  if (!Array.isArray(step)) {
    throw new ServingError('contract_violation', `${expected}, but yielded ${describe(step)}`);
  }
  if (step.length !== size) {
    throw new ServingError('contract_violation', `${expected}, but yielded ${step.length}`);
  }
  const missing = isLive.findIndex((live, index) => live && step[index] === undefined);
  if (missing >= 0) {
    throw new ServingError('contract_violation', `${expected}, but token ${missing} is missing`);
  }
  return step;
}
