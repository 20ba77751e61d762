import { readFileSync } from 'node:fs';
import { parse, YAMLParseError } from 'yaml';
import { SettingError } from './setting-error.js';

/**
 * Reads a YAML (or JSON) configuration file.
 *
 * @throws {SettingError} when it cannot be read, is not YAML, or is not a mapping
 */
export function readConfigFile(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new SettingError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  let content: unknown;
  try {
    // Neither its warnings nor what it says of an alias may be shown: a value may be a secret that begins with `!` or `*`.
    content = parse(text, { logLevel: 'error' });
  } catch (error) {
    if (!(error instanceof YAMLParseError)) {
      throw new SettingError(`${path} is not YAML: a value that begins with * needs quotes`);
    }
    throw new SettingError(`${path} is not YAML: ${error.message.split('\n', 1)[0]!.replace(/:$/, '')}`);
  }
  if (content === null) return {};
  if (typeof content === 'object' && !Array.isArray(content)) return content as Record<string, unknown>;
  throw new SettingError(`${path} must hold settings as "name: value" lines`);
}
