import { accessSync, constants, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Settings } from './load-settings.js';
import { SettingError } from './setting-error.js';

/**
 * The directory that keeps what is registered at run time, made if need be; `undefined` when there shall be none.
 *
 * @throws {SettingError} when it cannot be written
 */
export function stateDirectory({ state_dir, base_directory }: Settings): string | undefined {
  if (state_dir === '') return undefined;
  const directory = resolve(base_directory, state_dir);
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingError(`SMARTBATCH_STATE_DIR ${directory} is no directory that can be written (${code})`);
  }
  return directory;
}
