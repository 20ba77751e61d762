// `npm start`: everything from a fresh clone to a server that answers, and how to call it.
import { spawn } from 'node:child_process';
import { prepare } from './prepare.mjs';

prepare();
// Requests live shortly: with room for more of them the collector runs less often (docs/operations.md).
const child = spawn(process.execPath, ['--max-semi-space-size=64', 'dist/main.js'], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)));

const host = process.env.HOST ?? '127.0.0.1';
const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
const url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${process.env.PORT ?? 8000}`;
await whenReady(`${url}/health/ready`);
console.log(`
Ready at ${url}

  curl ${url}/models/digits/predict -H 'Content-Type: application/json' -d @models/digits/samples/seven.json
  curl ${url}/models/language/predict -H 'Content-Type: application/json' -d '{"data": "Wo ist der Bahnhof?"}'

  API description   ${url}/docs
  Metrics           ${url}/metrics
  Health            ${url}/health
`);

async function whenReady(probe) {
  for (;;) {
    const response = await fetch(probe).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
