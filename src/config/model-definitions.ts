import { isServingError } from '#model';
import { MODEL_NAME_PATTERN, readRestOptions, type ModelDefinition } from '#registry';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SettingError } from './setting-error.js';

/**
 * Reads the `models` part of a configuration file: a mapping of names to `module` (a path beside the file, or
 * a package), and optionally `function` (the export), `handler`, `version`, and options.
 *
 * @param file path of the file that `models` comes from
 * @throws {SettingError} for anything that is not known or not right, naming it
 */
export function readModelDefinitions(models: unknown, file: string): ModelDefinition[] {
  if (!isMapping(models)) throw new SettingError(`${file}: models must map names to their settings`);
  return Object.entries(models).map(([name, settings]) => readDefinition(name, settings, file));
}

function readDefinition(name: string, settings: unknown, file: string): ModelDefinition {
  const at = `${file}: models.${name}`;
  if (!MODEL_NAME_PATTERN.test(name)) {
    throw new SettingError(`${at}: a model's name is 1 to 128 of A–Z a–z 0–9 . _ -`);
  }
  if (!isMapping(settings)) throw new SettingError(`${at} must be a mapping with at least a module`);
  const { module, function: exportName, handler, version, ...options } = settings;
  if (typeof module !== 'string') throw new SettingError(`${at}.module must be a path or a package's name`);
  const text = (key: string, value: unknown) => {
    if (value === undefined || typeof value === 'string') return value;
    throw new SettingError(`${at}.${key} must be a string, not ${JSON.stringify(value)}`);
  };
  try {
    return {
      name,
      source: {
        specifier: toSpecifier(module, file),
        ...optional('exportName', text('function', exportName)),
        ...optional('handlerName', text('handler', handler)),
      },
      // An unquoted version such as 2 or 1.5 is a number to YAML.
      ...optional('version', typeof version === 'number' ? String(version) : text('version', version)),
      options: readRestOptions(options),
    };
  } catch (error) {
    if (isServingError(error)) throw new SettingError(`${at}: ${error.message}`);
    throw error;
  }
}

function optional<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Record<K, string>>);
}

function toSpecifier(module: string, file: string): string {
  const isPath = module.startsWith('.') || module.startsWith('/');
  return isPath ? pathToFileURL(resolve(dirname(file), module)).href : module;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
