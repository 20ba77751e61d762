// `npm test`: every check there is, from a fresh clone. `npm test -- unit` and the other names run one of them.
import { spawnSync } from 'node:child_process';
import { prepare } from './prepare.mjs';

const FOLDERS = ['src', 'libs', 'models', 'examples', 'bench', 'test'];
const CHECKS = {
  lint: ['oxlint', '--type-aware', ...FOLDERS],
  format: ['prettier', '--check', '--log-level=warn', '.'],
  types: ['tsc', '--noEmit', '-p', 'tsconfig.json'],
  layering: ['depcruise', 'src', 'libs', 'models', 'examples', 'bench'],
  unit: ['vitest', 'run', '--project', 'unit'],
  'end-to-end': ['vitest', 'run', '--project', 'end-to-end'],
};

const [wanted, ...rest] = process.argv.slice(2);
if (wanted !== undefined && !Object.hasOwn(CHECKS, wanted)) {
  console.error(`'${wanted}' is not a check; there are ${Object.keys(CHECKS).join(', ')}`);
  process.exit(2);
}
prepare();
for (const [name, [command, ...args]] of Object.entries(CHECKS)) {
  if (wanted !== undefined && name !== wanted) continue;
  console.log(`\n── ${name}`);
  const { status } = spawnSync(`node_modules/.bin/${command}`, [...args, ...rest], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
