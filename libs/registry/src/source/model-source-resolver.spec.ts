import { isServingError } from '#model';
import fc from 'fast-check';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModelSourceResolver } from './model-source-resolver.js';

let directory: string;
let root: string;
let resolver: ModelSourceResolver;

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'smartbatch-roots-')));
  root = join(directory, 'models');
  const files = {
    'models/echo.js': 'export default (batch) => batch;',
    'models/deep/er/echo.mjs': '',
    'models/model.onnx': 'onnx',
    'models/..hidden.js': '',
    'models/%2e%2e/secret.js': '',
    'models-private/secret.js': '',
    'secret.js': 'throw new Error("loaded")',
    'secret.onnx': '',
    'models/node_modules/inside/package.json': '{"name": "inside", "exports": "./main.js"}',
    'models/node_modules/inside/main.js': '',
    'node_modules/outside/package.json': '{"name": "outside", "main": "./main.js"}',
    'node_modules/outside/main.js': '',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  symlinkSync(join(directory, 'secret.js'), join(root, 'link.js'));
  symlinkSync(directory, join(root, 'up'));
  symlinkSync(join(root, 'deep'), join(root, 'in'));
  // A package that the server can find, linked into a root's reach from outside.
  symlinkSync(join(root, 'node_modules/inside'), join(directory, 'node_modules/inside'));
  resolver = new ModelSourceResolver({ modelRoots: ['models', '/no/such/root'], baseDirectory: directory });
});
afterAll(() => rmSync(directory, { recursive: true }));

async function refusal(run: Promise<unknown>): Promise<{ field: string; message: string }> {
  const error: unknown = await run.then(
    (value) => new Error(`resolved to ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!isServingError(error)) throw error;
  expect(error.code).toBe('invalid_options');
  expect(error.message).not.toContain(directory);
  const [{ field, message } = { field: '', message: '' }] = error.faults ?? [];
  return { field, message };
}

describe('a module that a client names', () => {
  it.each([
    ['./echo.js', 'models/echo.js'],
    ['./models/echo.js', 'models/echo.js'],
    ['./deep/../echo.js', 'models/echo.js'],
    ['./in/er/echo.mjs', 'models/deep/er/echo.mjs'],
    ['./..hidden.js', 'models/..hidden.js'],
    ['../models/echo.js', 'models/echo.js'],
    ['inside', 'models/node_modules/inside/main.js'],
  ])('%s is loaded from its real path', async (module, file) => {
    const specifier = pathToFileURL(join(directory, file)).href;
    await expect(resolver.resolve({ module })).resolves.toEqual({ specifier });
  });

  it('may have an absolute path, an export and a handler', async () => {
    const source = { module: join(root, 'echo.js'), function: 'run', handler: 'fast' };
    await expect(resolver.resolve(source)).resolves.toMatchObject({ exportName: 'run', handlerName: 'fast' });
  });

  it.each([
    'child_process',
    'node:vm',
    'fs/promises',
    'data:text/javascript,export default 1',
    'https://example.org/model.js',
    'file:///etc/passwd',
    '#model',
    '../secret.js',
    '../../x',
    './link.js',
    './up/secret.js',
    './up/models/../secret.js',
    '/etc/passwd',
    '../models-private/secret.js',
    '%2e%2e/secret.js',
    './%2E%2E%2Fsecret.js',
    './..%2fsecret.js',
    'inside/../../../../secret.js',
    'outside',
    'no-such-package',
    './no-such-file.js',
    './deep',
    './model.onnx',
    './echo.js\0.png',
    './echo.js?x',
    'echo.js',
    '.',
    '..',
    '',
    ' ',
    `./${'x/'.repeat(3000)}echo.js`,
  ])('BC-119 %j is refused, and the answer does not tell what lies where', async (module) => {
    const { field, message } = await refusal(resolver.resolve({ module }));
    expect(field).toBe('module');
    expect(message).toBe(
      'must be a JavaScript or TypeScript file, or a package, inside one of the folders that models may be ' +
        'loaded from (SMARTBATCH_MODEL_PATHS)',
    );
  });

  it.each(['__proto__', 'constructor', 'prototype', '', 'a b', 'a.b', '1a', 'x'.repeat(129)])(
    'BC-119 has no export %j',
    async (name) => {
      const { field } = await refusal(resolver.resolve({ module: './echo.js', function: name }));
      expect(field).toBe('function');
    },
  );

  it('is refused where no folder is allowed', async () => {
    const strict = new ModelSourceResolver({});
    for (const module of [join(root, 'echo.js'), 'fastify']) {
      await expect(refusal(strict.resolve({ module }))).resolves.toMatchObject({ field: 'module' });
    }
  });

  it('is looked at when it is named, and not before', async () => {
    const late = join(root, 'late.js');
    symlinkSync(join(root, 'echo.js'), late);
    const { specifier } = await resolver.resolve({ module: './late.js' });
    // Whoever changes the link between the check and the load changes nothing.
    symlinkSync(join(directory, 'secret.js'), `${late}.new`);
    renameSync(`${late}.new`, late);
    expect(fileURLToPath(specifier)).toBe(join(root, 'echo.js'));
    await refusal(resolver.resolve({ module: './late.js' }));
    rmSync(late);
  });
});

describe('a file that a client names', () => {
  it('may lie inside a root', async () => {
    await expect(resolver.resolveFile('onnx', 'model.onnx')).resolves.toBe(join(root, 'model.onnx'));
  });

  it.each([
    '../secret.onnx',
    'up/secret.onnx',
    'secret.onnx',
    '/dev/zero',
    'deep',
    'none',
    '\0',
    'file:model.onnx',
  ])('BC-119 %j is refused', async (path) => {
    const { field, message } = await refusal(resolver.resolveFile('onnx', path));
    expect(field).toBe('onnx');
    expect(message).toContain('SMARTBATCH_MODEL_PATHS');
  });
});

const STEPS = [
  '.',
  '..',
  '...',
  '',
  'up',
  'in',
  'deep',
  'er',
  'models',
  'models-private',
  'echo.js',
  'secret.js',
  'link.js',
  'node_modules',
  'inside',
  'outside',
  'main.js',
  '%2e%2e',
  '%2f',
  '~',
  '\\..',
  '..hidden.js',
  'etc',
  'passwd',
  'proc',
  'self',
  'cwd',
];

describe('whatever a path is made of', () => {
  it('BC-119 only what really lies inside a root comes out', async () => {
    const start = fc.constantFrom('', './', '../', '/', '//', 'file://', 'inside/');
    const path = fc
      .tuple(start, fc.array(fc.constantFrom(...STEPS), { maxLength: 8 }))
      .map(([first, steps]) => first + steps.join('/'));
    await fc.assert(
      fc.asyncProperty(path, fc.boolean(), async (name, absolute) => {
        const asked = absolute ? `${root}/${name}` : name;
        const found = await Promise.allSettled([
          resolver.resolve({ module: asked }).then(({ specifier }) => fileURLToPath(specifier)),
          resolver.resolveFile('onnx', asked),
        ]);
        for (const each of found) {
          if (each.status === 'rejected') expect(isServingError(each.reason)).toBe(true);
          else expect(relative(root, realpathSync(each.value))).toMatch(/^(?!\.\.(\/|$))[^/]/);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
