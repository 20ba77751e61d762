import { join } from 'node:path';
import { percentile } from '../../measure/percentile.js';
import { configuredServer } from '../../servers/our-server.js';
import type { LiveCheck } from '../live-check.js';
import { runOpenLoop, type OpenLoopAnswer } from '../open-loop.js';

const REQUEST = { path: '/models/sleeper/predict', body: JSON.stringify({ data: [1, 2, 3] }) };
const PER_SECOND = 200;
const LOAD_SECONDS = 5;
const ROUNDS = 5;
const FOLDER = join(process.cwd(), 'dist/bench/models');

/** What the clients of one model notice of another that blocks its thread for seconds while it loads. */
export const loadingCheck: LiveCheck = {
  title: `${PER_SECOND} requests a second for one model, while another blocks for ${LOAD_SECONDS} s as it loads`,
  async run({ folder, progress }) {
    const server = configuredServer(join(folder, 'loading.yaml'), {
      model_paths: [FOLDER],
      models: { sleeper: { module: join(FOLDER, 'sleeper.js'), window: 'eager' } },
    });
    await server.start();
    const due = Array.from({ length: PER_SECOND * LOAD_SECONDS }, (_, index) => (1000 * index) / PER_SECOND);
    const load = () => runOpenLoop(server.url, due, () => REQUEST);
    try {
      progress('warm-up');
      await load();
      const ratios: number[] = [];
      const all: OpenLoopAnswer[] = [];
      // In turns, so that both see the same moods of the machine.
      for (let round = 1; round <= ROUNDS; round++) {
        progress(`round ${round} of ${ROUNDS}`);
        const quiet = await load();
        const loaded = register(server.url);
        const beside = await load();
        await loaded;
        ratios.push(p99(beside) / p99(quiet));
        all.push(...quiet, ...beside);
      }
      return [
        {
          what: 'p99 while it loads ÷ p99 else, median',
          value: percentile(ratios, 0.5),
          unit: '',
          atMost: 1.2,
        },
        { what: 'the same, worst round', value: percentile(ratios, 1), unit: '' },
        { what: 'p99 over all', value: p99(all), unit: 'ms' },
        { what: 'not served', value: all.filter(({ status }) => status !== 200).length, unit: '', atMost: 0 },
      ];
    } finally {
      await server.stop();
    }
  },
};

/** Registers the slow model and removes it again. */
async function register(url: string): Promise<void> {
  const path = `${url}/admin/models/slow-to-load`;
  const body = JSON.stringify({ module: './slow-to-load.js', version: '1' });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`the model was not registered: ${await response.text()}`);
  await fetch(`${path}/1`, { method: 'DELETE' });
}

function p99(answers: readonly OpenLoopAnswer[]): number {
  return percentile(
    answers.map(({ latencyMs }) => latencyMs),
    0.99,
  );
}
