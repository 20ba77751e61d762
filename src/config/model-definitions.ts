import { isServingError } from '#model';
import {
  MODEL_NAME_PATTERN,
  MODEL_NAME_RULE,
  onnxSource,
  readRestOptions,
  VERSION_PATTERN,
  VERSION_RULE,
  type ModelDefinition,
} from '#registry';
import type { ModelSource } from '#gpu-pool';
import { dirname, resolve } from 'node:path';
import { toSpecifier } from './module-specifier.js';
import { SettingError } from './setting-error.js';

/**
 * Reads the `models` part of a configuration file: a mapping of names to a source, and optionally `version` and
 * options. A source is `module` (a path beside the file, or a package) with optionally `function` (the export) and
 * `handler`, or `onnx` (a file's path) with optionally `labels` (a file's path) and `batched`. Several versions of a
 * model stand in `versions`, by their label; what stands beside it holds for each of them that does not say otherwise.
 *
 * @param file path of the file that `models` comes from
 * @throws {SettingError} for anything that is not known or not right, naming it
 */
export function readModelDefinitions(models: unknown, file: string): ModelDefinition[] {
  if (!isMapping(models)) throw new SettingError(`${file}: models must map names to their settings`);
  return Object.entries(models).flatMap(([name, settings]) => readModel(name, settings, file));
}

function readModel(name: string, settings: unknown, file: string): ModelDefinition[] {
  const at = `${file}: models.${name}`;
  if (!MODEL_NAME_PATTERN.test(name)) throw new SettingError(`${at}: a model's name ${MODEL_NAME_RULE}`);
  if (!isMapping(settings)) throw new SettingError(`${at} must be a mapping with at least a module or onnx`);
  const { versions, traffic: _, ...shared } = settings;
  if (versions === undefined) return [readDefinition(name, shared, at, file)];
  if (!isMapping(versions) || Object.keys(versions).length === 0) {
    throw new SettingError(`${at}.versions must map each version's label to its settings`);
  }
  if ('version' in shared) throw new SettingError(`${at}.version cannot stand beside versions`);
  return Object.entries(versions).map(([version, own]) => {
    const atVersion = `${at}.versions.${version}`;
    if (!isMapping(own)) throw new SettingError(`${atVersion} must be a mapping; {} where nothing differs`);
    if ('version' in own) throw new SettingError(`${atVersion}.version is what ${version} says already`);
    return readDefinition(name, { ...shared, ...own, version }, atVersion, file);
  });
}

function readDefinition(name: string, settings: Mapping, at: string, file: string): ModelDefinition {
  const { version, required, ...rest } = settings;
  if (required !== undefined && typeof required !== 'boolean') {
    throw new SettingError(`${at}.required must be true or false, not ${JSON.stringify(required)}`);
  }
  // An unquoted version such as 2 or 1.5 is a number to YAML.
  const label = typeof version === 'number' ? String(version) : text(at, 'version', version);
  if (label !== undefined && !VERSION_PATTERN.test(label)) {
    throw new SettingError(`${at}: a version ${VERSION_RULE}`);
  }
  try {
    const { source, options } = readSource(rest, at, file);
    return {
      name,
      source,
      ...optional('version', label),
      ...(required === undefined ? {} : { required }),
      options: readRestOptions(options),
    };
  } catch (error) {
    if (isServingError(error)) throw new SettingError(`${at}: ${error.message}`);
    throw error;
  }
}

type Mapping = Readonly<Record<string, unknown>>;

function readSource(settings: Mapping, at: string, file: string): { source: ModelSource; options: Mapping } {
  return 'onnx' in settings ? readOnnx(settings, at, file) : readModule(settings, at, file);
}

function readModule(settings: Mapping, at: string, file: string): { source: ModelSource; options: Mapping } {
  const { module, function: exportName, handler, ...options } = settings;
  if (typeof module !== 'string') {
    throw new SettingError(
      `${at}.module must be a path or a package's name; or give onnx, the path of an ONNX file`,
    );
  }
  const source = {
    specifier: toSpecifier(module, file),
    ...optional('exportName', text(at, 'function', exportName)),
    ...optional('handlerName', text(at, 'handler', handler)),
  };
  return { source, options };
}

function readOnnx(settings: Mapping, at: string, file: string): { source: ModelSource; options: Mapping } {
  const { onnx, labels, batched, ...options } = settings;
  const conflict = ['module', 'function', 'handler'].find((key) => key in options);
  if (conflict !== undefined) throw new SettingError(`${at}.${conflict} cannot stand beside onnx`);
  const beside = (path: string) => resolve(dirname(file), path);
  if (typeof onnx !== 'string') throw new SettingError(`${at}.onnx must be the path of an ONNX file`);
  if (batched !== undefined && typeof batched !== 'boolean') {
    throw new SettingError(`${at}.batched must be true or false, not ${JSON.stringify(batched)}`);
  }
  const labelsFile = text(at, 'labels', labels);
  const source = onnxSource({
    file: beside(onnx),
    ...(labelsFile === undefined ? {} : { labels: beside(labelsFile) }),
    ...(batched === undefined ? {} : { isStacked: batched }),
  });
  return { source, options };
}

function text(at: string, key: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new SettingError(`${at}.${key} must be a string, not ${JSON.stringify(value)}`);
}

function optional<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Record<K, string>>);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
