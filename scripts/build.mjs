// Compiles the project and puts beside the compiled files what they read at run time.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

const ASSET_FOLDERS = ['models', 'examples'];
const ASSET_TYPES = new Set(['.onnx', '.json']);

export function build() {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/@nestjs/cli/bin/nest.js', 'build', 'smartbatch'],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (status !== 0) throw new Error(`the build failed with exit code ${status}`);
  for (const folder of ASSET_FOLDERS) copyAssets(folder);
  // dist mirrors the source folders; this is the entry that operators name.
  writeFileSync('dist/main.js', "import './src/main.js';\n");
}

function copyAssets(folder) {
  for (const file of readdirSync(folder, { recursive: true })) {
    if (!ASSET_TYPES.has(extname(file))) continue;
    const target = join('dist', folder, file);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(folder, file), target);
  }
}

if (process.argv[1]?.endsWith('build.mjs')) build();
