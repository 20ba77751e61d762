import { ServingError } from '#model';
import type { ModelSource } from '#gpu-pool';
import { Inject, Injectable } from '@nestjs/common';
import { resolve } from 'import-meta-resolve';
import { isBuiltin } from 'node:module';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { REGISTRY_OPTIONS, type RegistryModuleOptions } from '../registry.options.js';
import { AllowedRoots } from './allowed-roots.js';

/** A model's code, as a client names it. */
export interface ModelReference {
  /** A path (`./…`, `../…` or `/…`) or the name of a package. */
  readonly module: string;
  /** The export to use. */
  readonly function?: string;
  /** The handler to use, by its decorated name. */
  readonly handler?: string;
}

const LONGEST_PATH = 4096;

const CODE = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']);

const EXPORT_NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]{0,127}$/u;

/** Names that every object, function or class has from its ancestors. */
const INHERITED = new Set(['__proto__', 'constructor', 'prototype']);

const WHERE = 'inside one of the folders that models may be loaded from (SMARTBATCH_MODEL_PATHS)';

/**
 * Finds the code and the files that a client names. Nothing outside the allowed roots is loaded, whatever the name
 * looks like: what counts is the real path behind it, and that is what gets loaded.
 */
@Injectable()
export class ModelSourceResolver {
  readonly #roots: AllowedRoots;
  /** Packages are looked for as a file of this folder would find them. */
  readonly #importer: string;

  constructor(
    @Inject(REGISTRY_OPTIONS) { modelRoots = [], baseDirectory = process.cwd() }: RegistryModuleOptions,
  ) {
    this.#roots = new AllowedRoots(modelRoots, baseDirectory);
    this.#importer = pathToFileURL(join(baseDirectory, 'importer.js')).href;
  }

  /** @throws {ServingError} `invalid_options`, naming the field and what would be right; no code has run then */
  async resolve({ module, function: exportName, handler }: ModelReference): Promise<ModelSource> {
    if (exportName !== undefined) assertExportName(exportName);
    const file = await this.#findModule(module);
    if (file === undefined || !CODE.has(extname(file))) {
      throw invalid('module', `must be a JavaScript or TypeScript file, or a package, ${WHERE}`);
    }
    return {
      specifier: pathToFileURL(file).href,
      ...(exportName === undefined ? {} : { exportName }),
      ...(handler === undefined ? {} : { handlerName: handler }),
    };
  }

  /**
   * The real path of a file that is no code, such as an ONNX model.
   *
   * @param field what the client calls it, for the message
   * @throws {ServingError} `invalid_options`, naming the field
   */
  async resolveFile(field: string, path: string): Promise<string> {
    const file = isReadable(path) ? await this.#roots.find(path) : undefined;
    if (file === undefined) throw invalid(field, `must be a file ${WHERE}`);
    return file;
  }

  async #findModule(module: string): Promise<string | undefined> {
    if (!isReadable(module)) return undefined;
    if (/^\.{0,2}\//.test(module)) return this.#roots.find(module);
    const path = this.#packageFile(module);
    return path === undefined ? undefined : this.#roots.find(path);
  }

  #packageFile(name: string): string | undefined {
    // `#name` would be an import of this server's own, and a scheme (`node:`, `data:`, `file:`, `https:`) no package.
    if (isBuiltin(name) || name.startsWith('#') || name.includes(':')) return undefined;
    try {
      return fileURLToPath(resolve(name, this.#importer));
    } catch {
      return undefined;
    }
  }
}

/** Node's own functions end a path at a NUL byte or refuse it, depending on which is asked. */
function isReadable(path: string): boolean {
  return path !== '' && path.length <= LONGEST_PATH && !path.includes('\0');
}

function assertExportName(name: string): void {
  if (EXPORT_NAME.test(name) && !INHERITED.has(name)) return;
  throw invalid('function', 'must be the name of one of the exports of the module');
}

function invalid(field: string, message: string): ServingError {
  return new ServingError('invalid_options', `${field} ${message}`, { faults: [{ field, message }] });
}
