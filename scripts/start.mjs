// `npm start`: everything from a fresh clone to a server that answers, and how to call it.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { prepare } from './prepare.mjs';

prepare();
// Requests live shortly: with room for more of them the collector runs less often (docs/operations.md).
const child = spawn(
  process.execPath,
  ['--max-semi-space-size=32', 'dist/main.js', ...process.argv.slice(2)],
  {
    stdio: ['inherit', 'pipe', 'inherit'],
    // A group of its own: the terminal sends Ctrl-C to the whole group, and a second signal means "at once".
    detached: true,
  },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
// 'close', not 'exit': the last lines of the log are still on their way at the exit.
child.on('close', (code) => process.exit(code ?? 137));

for await (const line of createInterface({ input: child.stdout })) {
  console.log(line);
  const url = listeningAt(line);
  if (url !== undefined) void announce(url);
}

function listeningAt(line) {
  try {
    const { msg, url } = JSON.parse(line);
    return msg === 'listening' ? url : undefined;
  } catch {
    return undefined;
  }
}

async function announce(url) {
  await whenReady(`${url}/health/ready`);
  console.log(`
Ready at ${url}

  curl ${url}/models/digits/predict -H 'Content-Type: application/json' -d @models/digits/samples/seven.json
  curl ${url}/models/language/predict -H 'Content-Type: application/json' -d '{"data": "Wo ist der Bahnhof?"}'

  API description   ${url}/docs
  Metrics           ${url}/metrics
  Health            ${url}/health
`);
}

async function whenReady(probe) {
  for (;;) {
    const response = await fetch(probe).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
