import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashOf } from '../access/credentials.js';
import { loadSettings } from './load-settings.js';
import { ENVIRONMENT, ServerSettings } from './server-settings.js';
import { SettingError } from './setting-error.js';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'smartbatch-settings-'));
  file = join(directory, 'smartbatch.yaml');
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Loads settings from a file of this text and this environment, and nothing else. */
function load(text: string, environment: NodeJS.ProcessEnv = {}) {
  writeFileSync(file, text);
  return loadSettings({ ...environment, SMARTBATCH_CONFIG: file });
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof SettingError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the settings of the server', () => {
  it.each(['', '# nothing but a comment\n', '{}'])(
    'are the defaults when the file says nothing: %j',
    (text) => {
      expect(load(text)).toEqual(
        Object.assign(new ServerSettings(), {
          models: [],
          windows: [],
          traffic: {},
          operators: [],
          clients: [],
          watch: false,
          base_directory: directory,
        }),
      );
    },
  );

  it('come from the file, in YAML or in JSON', () => {
    expect(load('port: 9000\ndevices: [cuda:0, cuda:1]\n')).toMatchObject({
      port: 9000,
      devices: ['cuda:0', 'cuda:1'],
      host: '127.0.0.1',
    });
    expect(load('{"log_level": "debug"}')).toMatchObject({ log_level: 'debug' });
  });

  it('come from the environment before the file', () => {
    const environment = { PORT: '9001', SMARTBATCH_DEVICES: 'cuda:1, cpu', LOG_LEVEL: 'warn' };
    expect(load('port: 9000\nhost: 127.0.0.2\ndevices: [cpu]\n', environment)).toMatchObject({
      port: 9001,
      host: '127.0.0.2',
      devices: ['cuda:1', 'cpu'],
      log_level: 'warn',
    });
  });

  it('can each be set by a variable that reads like it', () => {
    const values = {
      host: '::1',
      port: '0',
      body_limit: '1024',
      device_concurrency: '2',
      shutdown_timeout: '1.5',
      devices: 'cpu',
      metrics: 'everyone',
      model_repository: directory,
    };
    const variables = Object.entries(ENVIRONMENT).map(([variable, setting]) => [
      variable,
      (values as Record<string, string>)[setting] ?? 'error',
    ]);
    expect(load('', Object.fromEntries(variables) as NodeJS.ProcessEnv)).toMatchObject({
      host: '::1',
      port: 0,
      body_limit: 1024,
      device_concurrency: 2,
      shutdown_timeout: 1.5,
      devices: ['cpu'],
      log_level: 'error',
    });
  });

  it('hold model_paths as a search path, from which relative folders are those of the working directory', () => {
    const paths = (text: string) => load('', { SMARTBATCH_MODEL_PATHS: text }).model_paths;
    expect(paths('/srv/models:/srv/b')).toEqual(['/srv/models', '/srv/b']);
    expect(paths('models')).toEqual([resolve('models')]);
    expect(paths('')).toEqual([]);
    expect(load('').model_paths).toEqual(['models']);
  });

  it('are not taken from variables that others have set', () => {
    expect(load('', { PATH: '/bin', HOSTNAME: 'h', port: '1' })).toMatchObject({ port: 8000 });
  });
});

describe('a setting that is not right ends the start with one line', () => {
  it.each([
    ['prot: 9000', 'prot is not a setting; known are host, port, body_limit'],
    ['constructor: 1', 'constructor is not a setting'],
    ['port: "9000"', 'port must'],
    ['port: 65536', 'port must not be greater than 65535, not 65536'],
    ['port: 80.5', 'port must be an integer number, not 80.5'],
    ['port:', 'port must'],
    ['host: ""', 'host should not be empty, not ""'],
    ['host: 127', 'host must be a string, not 127'],
    ['log_level: loud', 'log_level must be one of the following values: silent'],
    ['devices: []', 'devices should not be empty'],
    ['devices: [gpu]', 'devices'],
    ['devices: cpu', 'devices'],
    ['shutdown_timeout: .inf', 'shutdown_timeout must'],
    ['body_limit: 0', 'body_limit must not be less than 1, not 0'],
    ['- port', 'must hold settings as "name: value" lines'],
    ['port', 'must hold settings as "name: value" lines'],
    ['port: [1', 'is not YAML: '],
    ['admin_token: *s3cret', 'is not YAML: a value that begins with * needs quotes'],
    ['port: 1\nport: 2', 'is not YAML: Map keys must be unique'],
  ])('%j', (text, message) => {
    const line = refusal(() => load(text));
    expect(line).toContain(file);
    expect(line).toContain(message);
    expect(line).not.toContain('\n');
  });

  it.each([
    [{ PORT: '' }, 'PORT must'],
    [{ PORT: 'eighty' }, 'PORT must'],
    [{ PORT: '-1' }, 'PORT must not be less than 0, not -1'],
    [{ SMARTBATCH_DEVICES: '' }, 'SMARTBATCH_DEVICES'],
    [{ SMARTBATCH_DEVICES: 'cuda' }, 'SMARTBATCH_DEVICES'],
    [{ SMARTBATCH_MODEL_PATHS: '/srv/models:' }, 'SMARTBATCH_MODEL_PATHS'],
    [{ LOG_LEVEL: 'INFO' }, 'LOG_LEVEL must be one of'],
    [
      { SMARTBATCH_PORT: '80' },
      'SMARTBATCH_PORT is not a setting; known are SMARTBATCH_CONFIG, SMARTBATCH_ADMIN_TOKEN',
    ],
    [{ SMARTBATCH_constructor: '1' }, 'SMARTBATCH_constructor is not a setting'],
  ])('%j in the environment', (environment, message) => {
    const line = refusal(() => load('', environment));
    expect(line).toContain(message);
    expect(line).not.toContain(file);
  });

  it('when the file is not there', () => {
    const missing = join(directory, 'none.yaml');
    expect(refusal(() => loadSettings({ SMARTBATCH_CONFIG: missing }))).toBe(
      `${missing} cannot be read: ENOENT`,
    );
    expect(refusal(() => loadSettings({ SMARTBATCH_CONFIG: directory }))).toContain('EISDIR');
  });
});

describe('who may use the server', () => {
  it('comes from the file, and from the environment before it', () => {
    const text = 'admin_token: [one, two]\napi_keys:\n  - { name: shop, key: three }\n';
    expect(load(text).operators).toHaveLength(2);
    expect(load(text).clients).toMatchObject([{ name: 'shop' }]);
    const { operators, clients } = load(text, {
      SMARTBATCH_ADMIN_TOKEN: 'four',
      SMARTBATCH_API_KEYS: 'five,six',
    });
    expect(operators).toEqual([{ name: expect.stringMatching(/^token-/), hash: hashOf('four') }]);
    expect(clients.map(({ hash }) => hash)).toEqual([hashOf('five'), hashOf('six')]);
  });

  it('BC-119 must be said as soon as other machines can reach the server', () => {
    for (const host of ['0.0.0.0', '::', '10.0.0.1']) {
      const line = refusal(() => load('', { HOST: host }));
      expect(line).toContain(`host ${host} can be reached from other machines`);
      expect(line).toContain('SMARTBATCH_ADMIN_TOKEN');
      expect(load('', { HOST: host, SMARTBATCH_ADMIN_TOKEN: 'token' }).host).toBe(host);
    }
    expect(refusal(() => load('host: 0.0.0.0\nadmin_token: []\n'))).toContain('SMARTBATCH_ADMIN_TOKEN');
  });

  it.each([
    ['', { SMARTBATCH_ADMIN_TOKEN: '' }, 'SMARTBATCH_ADMIN_TOKEN'],
    ['', { SMARTBATCH_API_KEYS: 's3cret,,x' }, 'SMARTBATCH_API_KEYS[1]'],
    ['', { SMARTBATCH_API_KEYS: 's3cret,s3cret' }, 'SMARTBATCH_API_KEYS holds the same secret twice'],
    ['', { SMARTBATCH_API_KEYS: 's3cret', SMARTBATCH_ADMIN_TOKEN: 's3cret' }, 'holds the same secret twice'],
    ['admin_token: {token: s3cret}', {}, 'admin_token.name must be'],
  ])('%j and %j end the start, and no secret is repeated', (text, environment, message) => {
    const line = refusal(() => load(text, environment));
    expect(line).toContain(message);
    expect(line).not.toContain('s3cret');
  });
});

describe('the models of a file', () => {
  it('are read with the settings', () => {
    const { models } = load('models:\n  digits:\n    module: ./digits.js\n    max_batch_size: 8\n');
    expect(models).toMatchObject([{ name: 'digits', options: { maxBatchSize: 8 } }]);
  });

  it('are refused in the same way', () => {
    expect(refusal(() => load('models: [digits]'))).toBe(`${file}: models must map names to their settings`);
  });
});

describe('a model repository', () => {
  it('lies beside the file, or where the environment says, and may be watched', () => {
    expect(load('model_repository: .').model_repository).toBe(directory);
    expect(load('', { SMARTBATCH_MODEL_REPOSITORY: directory }).model_repository).toBe(directory);
    const environment = { SMARTBATCH_CONFIG: file, SMARTBATCH_MODEL_REPOSITORY: directory };
    expect(loadSettings(environment, ['--watch']).watch).toBe(true);
    expect(loadSettings(environment).watch).toBe(false);
  });

  it('must be a folder', () => {
    const missing = join(directory, 'missing');
    expect(refusal(() => load('model_repository: ./missing'))).toBe(
      `model_repository must be a folder, and ${missing} is none`,
    );
    expect(refusal(() => load('', { SMARTBATCH_MODEL_REPOSITORY: file }))).toContain('must be a folder');
  });

  it('is what --watch is about', () => {
    writeFileSync(file, '');
    expect(refusal(() => loadSettings({ SMARTBATCH_CONFIG: file }, ['--watch']))).toContain(
      'set SMARTBATCH_MODEL_REPOSITORY',
    );
    expect(refusal(() => loadSettings({ SMARTBATCH_CONFIG: file }, ['--wach']))).toBe(
      '--wach is not an argument; known is --watch',
    );
  });
});
