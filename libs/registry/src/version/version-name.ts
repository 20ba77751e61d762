import { ServingError } from '#model';
import { MODEL_NAME_PATTERN, MODEL_NAME_RULE, VERSION_PATTERN, VERSION_RULE } from '../registry.constants.js';

/**
 * The name as it is given.
 *
 * @throws {ServingError} `invalid_options`, where no model can have it
 */
export function checkName(name: string): string {
  if (MODEL_NAME_PATTERN.test(name)) return name;
  throw new ServingError('invalid_options', `name '${name}' ${MODEL_NAME_RULE}`);
}

/**
 * The version as it is given.
 *
 * @throws {ServingError} `invalid_options`, where no version can be called so
 */
export function checkVersion(version: string): string {
  if (VERSION_PATTERN.test(version)) return version;
  throw new ServingError('invalid_options', `version '${version}' ${VERSION_RULE}`);
}
