// `npm run live`: builds if needed, then drives running servers through hard times. `npm run live -- goodput` runs one check.
import { spawn } from 'node:child_process';
import { prepare } from './prepare.mjs';

prepare();
const child = spawn(process.execPath, ['dist/bench/live/run.js', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
