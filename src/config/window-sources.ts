import type { WindowPolicy, WindowPolicyFactory } from '#batching';
import { toSpecifier } from './module-specifier.js';
import { SettingError } from './setting-error.js';

/** Where the code of a window policy is found. */
export interface WindowSource {
  /** What models say in their `window` option. */
  readonly name: string;
  readonly specifier: string;
  /** The export; else the default export. */
  readonly exportName: string | undefined;
  /** Where the configuration names it, for messages. */
  readonly at: string;
}

/**
 * Reads the `windows` part of a configuration file: a mapping of names to `module` (a path beside the file, or a
 * package) and optionally `function` (the export).
 *
 * @throws {SettingError} for anything that is not known or not right, naming it
 */
export function readWindowSources(windows: unknown, file: string): WindowSource[] {
  if (!isMapping(windows)) throw new SettingError(`${file}: windows must map names to their modules`);
  return Object.entries(windows).map(([name, settings]) => {
    const at = `${file}: windows.${name}`;
    if (!isMapping(settings)) throw new SettingError(`${at} must be a mapping with a module`);
    const { module, function: exportName, ...unknown } = settings;
    const [other] = Object.keys(unknown);
    if (other !== undefined)
      throw new SettingError(`${at}.${other} is not known; known are module, function`);
    if (typeof module !== 'string') throw new SettingError(`${at}.module must be a path or a package's name`);
    if (exportName !== undefined && typeof exportName !== 'string')
      throw new SettingError(`${at}.function must be a string, not ${JSON.stringify(exportName)}`);
    return { name, specifier: toSpecifier(module, file), exportName, at };
  });
}

/**
 * Imports window policies. The export is a class, or a function that makes a policy; it is tried once.
 *
 * @throws {SettingError} when there is none, or it makes none
 */
export async function loadWindows(
  sources: readonly WindowSource[],
): Promise<Record<string, WindowPolicyFactory>> {
  const factories: Record<string, WindowPolicyFactory> = {};
  for (const source of sources) factories[source.name] = await loadWindow(source);
  return factories;
}

async function loadWindow({
  specifier,
  exportName = 'default',
  at,
}: WindowSource): Promise<WindowPolicyFactory> {
  try {
    const exports = (await import(specifier)) as Record<string, unknown>;
    const create = toFactory(Object.hasOwn(exports, exportName) ? exports[exportName] : undefined);
    if (create === undefined) throw new Error(`export '${exportName}' is no class and no function`);
    if (typeof create()?.dispatchAt !== 'function')
      throw new Error(`export '${exportName}' makes no window policy`);
    return create;
  } catch (error) {
    throw new SettingError(`${at} cannot be loaded: ${(error as Error).message.split('\n', 1)[0]}`);
  }
}

function toFactory(value: unknown): WindowPolicyFactory | undefined {
  if (typeof value !== 'function') return undefined;
  const isPolicyClass =
    typeof (value.prototype as Partial<WindowPolicy> | undefined)?.dispatchAt === 'function';
  return isPolicyClass
    ? () => new (value as new () => WindowPolicy)()
    : () => (value as () => WindowPolicy)();
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
