// What `npm start` and `npm test` do first: install if the lock file is newer than what is installed, and build
// if a source is newer than what was built. npm's own pre-hooks do not run under ignore-scripts.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';

const SOURCES = ['src', 'libs', 'models', 'examples', 'bench', 'test'];
const BUILD_SETTINGS = [
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
  'scripts/build.mjs',
];

export function prepare() {
  installIfNeeded();
  buildIfNeeded();
}

function installIfNeeded() {
  // npm writes this file at the end of an installation.
  if (modified('node_modules/.package-lock.json') >= modified('package-lock.json')) return;
  console.error('installing…');
  // A child of npm inherits its settings as variables; `npm test` must install dev dependencies all the same.
  const { status } = spawnSync(
    'npm',
    ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (status === 0) return;
  console.error('the installation failed: see above');
  process.exit(status ?? 1);
}

function buildIfNeeded() {
  const newest = Math.max(...BUILD_SETTINGS.map(modified), ...SOURCES.map(newestIn));
  if (modified('dist/main.js') >= newest) return;
  console.error('building…');
  try {
    build();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

function newestIn(folder) {
  if (!existsSync(folder)) return 0;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  // Folders too: a file that was removed leaves no other trace.
  return Math.max(modified(folder), ...entries.map((entry) => modified(join(entry.parentPath, entry.name))));
}

function modified(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}
