import type { ModelDefinition, Traffic } from '#registry';
import { validateSync } from 'class-validator';
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isLoopback } from '../access/loopback.js';
import type { Credential } from '../access/credentials.js';
import { readConfiguredTraffic } from './configured-traffic.js';
import { readModelDefinitions } from './model-definitions.js';
import { readConfigFile } from './read-config-file.js';
import { assertDistinct, readCredentials } from './read-credentials.js';
import { ENVIRONMENT, ServerSettings } from './server-settings.js';
import { SettingError } from './setting-error.js';
import { readWindowSources, type WindowSource } from './window-sources.js';

/** Everything that the server is started with. */
export interface Settings extends Readonly<ServerSettings> {
  readonly models: readonly ModelDefinition[];
  /** Traffic rules by model name. */
  readonly traffic: Readonly<Record<string, Traffic>>;
  /** Window policies of the operator's own. */
  readonly windows: readonly WindowSource[];
  /** Who may use the admin routes. */
  readonly operators: readonly Credential[];
  /** Who may ask for predictions; empty for anyone. */
  readonly clients: readonly Credential[];
  /** Whether changes of the model repository are followed. */
  readonly watch: boolean;
  /** Where the configuration file lies, or would; relative paths start here. */
  readonly base_directory: string;
}

/** The variables of settings that are secrets, which are read apart: no message may hold their values. */
const SECRET_VARIABLES = { admin_token: 'SMARTBATCH_ADMIN_TOKEN', api_keys: 'SMARTBATCH_API_KEYS' } as const;

const OTHER_VARIABLES: readonly string[] = ['SMARTBATCH_CONFIG', ...Object.values(SECRET_VARIABLES)];

/** Read when `SMARTBATCH_CONFIG` names no other. */
const DEFAULT_FILE = 'smartbatch.yaml';

/**
 * Reads the settings: the environment before the file before the defaults.
 *
 * @param args those of the command line: `--watch` is the only one
 * @throws {SettingError} for an unknown setting or a bad value, naming it and what would be right
 */
export function loadSettings(environment: NodeJS.ProcessEnv, args: readonly string[] = []): Settings {
  const named = environment['SMARTBATCH_CONFIG'];
  const path = named ?? (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined);
  const {
    models = {},
    windows = {},
    admin_token,
    api_keys,
    ...fromFile
  } = path === undefined ? {} : readConfigFile(path);
  const settings = new ServerSettings();
  assign(settings, fromFile, (name) => `${path}: ${name}`);
  assign(settings, fromEnvironment(environment), environmentName);
  const secrets = { admin_token, api_keys };
  const operators = readSecrets('admin_token', 'token', secrets, environment, path);
  const clients = readSecrets('api_keys', 'key', secrets, environment, path);
  assertDistinct([...operators, ...clients], 'admin_token and api_keys');
  if (operators.length === 0 && !isLoopback(settings.host)) {
    const variable = SECRET_VARIABLES.admin_token;
    throw new SettingError(
      `host ${settings.host} can be reached from other machines, where the admin routes need ${variable}; ` +
        'set it, or listen on 127.0.0.1',
    );
  }
  const base_directory = dirname(resolve(path ?? DEFAULT_FILE));
  const definitions = readModelDefinitions(models, path ?? '');
  return Object.assign(settings, {
    operators,
    clients,
    models: definitions,
    windows: readWindowSources(windows, path ?? ''),
    traffic: readConfiguredTraffic(models as object, definitions, path ?? ''),
    model_repository: findRepository(settings.model_repository, base_directory),
    watch: readFlags(args, settings.model_repository !== ''),
    base_directory,
  });
}

function findRepository(folder: string, base: string): string {
  if (folder === '') return folder;
  const path = resolve(base, folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new SettingError(`model_repository must be a folder, and ${path} is none`);
}

/** @returns whether `--watch` is there */
function readFlags(args: readonly string[], hasRepository: boolean): boolean {
  const unknown = args.find((argument) => argument !== '--watch');
  if (unknown !== undefined) throw new SettingError(`${unknown} is not an argument; known is --watch`);
  if (args.length > 0 && !hasRepository) {
    throw new SettingError(
      '--watch follows the changes of a model repository; set SMARTBATCH_MODEL_REPOSITORY',
    );
  }
  return args.length > 0;
}

type SecretSetting = keyof typeof SECRET_VARIABLES;

function readSecrets(
  setting: SecretSetting,
  secret: string,
  fromFile: Readonly<Record<SecretSetting, unknown>>,
  environment: NodeJS.ProcessEnv,
  path: string | undefined,
): Credential[] {
  const variable = SECRET_VARIABLES[setting];
  const text = environment[variable];
  if (text !== undefined) return readCredentials(text.split(','), { setting: variable, secret });
  const value = fromFile[setting];
  if (value === undefined) return [];
  const mayHaveLimits = setting === 'api_keys';
  return readCredentials(value, { setting: `${path}: ${setting}`, secret, mayHaveLimits });
}

function assign(
  settings: ServerSettings,
  values: Readonly<Record<string, unknown>>,
  nameOf: (setting: string) => string,
): void {
  for (const [name, value] of Object.entries(values)) {
    if (!Object.hasOwn(settings, name)) {
      const known = [...Object.keys(settings), ...Object.keys(SECRET_VARIABLES), 'models', 'windows'].join(
        ', ',
      );
      throw new SettingError(`${nameOf(name)} is not a setting; known are ${known}`);
    }
    Object.assign(settings, { [name]: value });
  }
  for (const { property, constraints = {}, value } of validateSync(settings)) {
    // The kind of value before its range: a text is not "greater than 65535".
    const [anyMessage = 'is invalid'] = Object.values(constraints);
    const message = constraints['isInt'] ?? constraints['isNumber'] ?? anyMessage;
    throw new SettingError(
      `${nameOf(property)} ${message.replace(`${property} `, '')}, not ${JSON.stringify(value)}`,
    );
  }
}

function fromEnvironment(environment: NodeJS.ProcessEnv): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [variable, text] of Object.entries(environment)) {
    const setting = ENVIRONMENT[variable];
    if (setting !== undefined && text !== undefined) values[setting] = parse(setting, text);
    else if (variable.startsWith('SMARTBATCH_') && !OTHER_VARIABLES.includes(variable)) {
      const known = [...OTHER_VARIABLES, ...Object.keys(ENVIRONMENT)].join(', ');
      throw new SettingError(`${variable} is not a setting; known are ${known}`);
    }
  }
  return values;
}

function parse(setting: keyof ServerSettings, text: string): unknown {
  switch (typeof new ServerSettings()[setting]) {
    case 'number':
      // Number('') is 0, which would turn an empty PORT into "any free port".
      return text.trim() === '' ? text : Number.isNaN(Number(text)) ? text : Number(text);
    case 'object':
      return setting === 'model_paths' ? readPaths(text) : text.split(',').map((part) => part.trim());
    default:
      // In the environment relative paths are those of the working directory, as in a shell.
      return setting === 'model_repository' && text !== '' ? resolve(text) : text;
  }
}

/** Like a search path; relative folders are those of the working directory, as in a shell. */
function readPaths(text: string): string[] {
  if (text === '') return [];
  return text.split(':').map((path) => (path === '' ? path : resolve(path)));
}

function environmentName(setting: string): string {
  return Object.keys(ENVIRONMENT).find((variable) => ENVIRONMENT[variable] === setting) ?? setting;
}
