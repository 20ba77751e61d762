import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What to import for `module` in a configuration file: a path beside `file`, or a package. */
export function toSpecifier(module: string, file: string): string {
  const isPath = module.startsWith('.') || module.startsWith('/');
  return isPath ? pathToFileURL(resolve(dirname(file), module)).href : module;
}
