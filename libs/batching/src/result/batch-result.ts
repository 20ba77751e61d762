import { ServingError } from '#model';

/**
 * Checks what a handler returned for a batch: an array with exactly one entry an item. Anything else would
 * have to be guessed at, and a wrong guess hands one client another's result.
 *
 * @param output what the handler returned
 * @param size items in the batch
 * @throws {ServingError} `contract_violation`
 */
export function checkBatchResult(output: unknown, size: number): readonly unknown[] {
  const expected = `the handler must return an array of ${size} ${size === 1 ? 'result' : 'results'}`;
  if (!Array.isArray(output)) {
    throw new ServingError('contract_violation', `${expected}, but returned ${describe(output)}`);
  }
  if (output.length !== size) {
    throw new ServingError('contract_violation', `${expected}, but returned ${output.length}`);
  }
  // Not forEach, which skips the holes of a sparse array.
  for (let index = 0; index < size; index++) {
    if (output[index] === undefined) {
      throw new ServingError('contract_violation', `${expected}, but result ${index} is missing`);
    }
  }
  return output;
}

/** Names a value's kind for an error message. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name = value.constructor?.name;
  return name === undefined || name === 'Object' ? 'an object' : `a ${name}`;
}
