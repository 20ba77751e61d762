import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelDefinition } from '../model-definition.js';
import { MODEL_NAME_PATTERN, MODEL_NAME_RULE } from '../registry.constants.js';
import { onnxSource } from '../source/onnx-source.js';
import { NO_CONFIGURATION, readModelConfiguration, type ModelConfiguration } from './model-configuration.js';

/** One version of a model that lies in a repository. */
export interface RepositoryModel {
  readonly name: string;
  /** `''` for a fault of the model as a whole. */
  readonly version: string;
  readonly definition: ModelDefinition;
  /** Changes with anything that the version is made of. */
  readonly fingerprint: string;
}

/** Versions are folders whose name is a number without leading zeros, as in Triton. */
const VERSION = /^[1-9]\d{0,17}$/;
const CONFIGURATION = 'config.pbtxt';

/**
 * A folder in the layout of Triton's model repository: `<name>/<version>/model.onnx`, with an optional
 * `<name>/config.pbtxt`.
 */
export class ModelRepository {
  readonly #path: string;
  readonly #devices: readonly string[];
  readonly #warn: (model: string, warning: string) => void;

  /**
   * @param path of the folder
   * @param devices those of the server
   * @param warn told what of a configuration does nothing here
   */
  constructor(path: string, devices: readonly string[], warn: (model: string, warning: string) => void) {
    this.#path = path;
    this.#devices = devices;
    this.#warn = warn;
  }

  /** The names of the models in it, whether or not they can be served. @throws {Error} when it cannot be read */
  async names(): Promise<string[]> {
    const entries = await readdir(this.#path, { withFileTypes: true });
    const folders = entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.'));
    return folders.map(({ name }) => name).sort();
  }

  /**
   * The versions of a model that are to be served. A fault of the model makes a definition that fails with it; none is
   * thrown.
   */
  async read(name: string): Promise<readonly RepositoryModel[]> {
    const folder = join(this.#path, name);
    const text = await readFile(join(folder, CONFIGURATION), 'utf8').catch(() => undefined);
    try {
      if (!MODEL_NAME_PATTERN.test(name)) throw new Error(`a model's name ${MODEL_NAME_RULE}`);
      const configuration =
        text === undefined ? NO_CONFIGURATION : readModelConfiguration(text, name, this.#devices);
      for (const warning of configuration.warnings) this.#warn(name, `${CONFIGURATION}: ${warning}`);
      const versions = await selectVersions(folder, configuration);
      return await Promise.all(
        versions.map(async (version) => {
          const files = await filesOf(folder, version);
          return {
            name,
            version,
            definition: definitionOf(folder, name, version, configuration, files),
            fingerprint: JSON.stringify([version, text, await statesOf(folder, version, files)]),
          };
        }),
      );
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // What the system says names the path.
      const fault = code === undefined ? message : `its folder cannot be read (${code})`;
      return [{ name, version: '', definition: { name, fault }, fingerprint: fault }];
    }
  }
}

/** @throws {Error} when there is no version to serve */
async function selectVersions(folder: string, { versions: policy }: ModelConfiguration): Promise<string[]> {
  const entries = await readdir(folder);
  const present = entries.filter((name) => VERSION.test(name)).sort((a, b) => Number(a) - Number(b));
  if (present.length === 0) throw new Error('it has no version: a folder whose name is a number, such as 1');
  if (policy === 'all') return present;
  if ('latest' in policy) return present.slice(-Math.max(1, policy.latest));
  const missing = policy.specific.find((version) => !present.includes(version));
  if (missing === undefined) return [...policy.specific];
  throw new Error(`version_policy asks for version ${missing}; there are ${present.join(', ')}`);
}

function definitionOf(
  folder: string,
  name: string,
  version: string,
  configuration: ModelConfiguration,
  files: readonly string[],
): ModelDefinition {
  const { fileName, isStacked, inputs, outputs, labels, options, warmup } = configuration;
  if (!files.includes(fileName))
    return { name, version, fault: `version ${version} has no file '${fileName}'` };
  // Triton keeps a model with weights in files of their own in a folder of the model file's name.
  const inFolder = join(fileName, fileName);
  const path = join(folder, version, files.includes(inFolder) ? inFolder : fileName);
  const source = onnxSource({
    file: path,
    inputs,
    outputs,
    warmup: warmup.map((sample) => withPaths(sample, join(folder, 'warmup'))),
    ...(isStacked === undefined ? {} : { isStacked }),
    ...(labels === undefined ? {} : { labels: join(folder, labels.fileName), labelledOutput: labels.output }),
  });
  return { name, version, source, options };
}

function withPaths(
  sample: ModelConfiguration['warmup'][number],
  folder: string,
): ModelConfiguration['warmup'][number] {
  const entries = Object.entries(sample).map(([input, tensor]) => {
    const { data } = tensor;
    return [
      input,
      typeof data === 'string' ? tensor : { ...tensor, data: { file: join(folder, data.file) } },
    ];
  });
  return Object.fromEntries(entries) as ModelConfiguration['warmup'][number];
}

async function filesOf(folder: string, version: string): Promise<string[]> {
  return (await readdir(join(folder, version), { recursive: true })).sort();
}

/** Sizes and times of all files that a version may be made of: its own, and labels beside its folder. */
async function statesOf(folder: string, version: string, files: readonly string[]): Promise<unknown[]> {
  const beside = (await readdir(folder)).filter((name) => !VERSION.test(name));
  const paths = [...files.map((file) => join(version, file)), ...beside];
  return Promise.all(
    paths.map(async (path) => {
      const { size, mtimeMs } = await stat(join(folder, path));
      return [path, size, mtimeMs];
    }),
  );
}
