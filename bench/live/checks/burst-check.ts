import { join } from 'node:path';
import { percentile } from '../../measure/percentile.js';
import { configuredServer } from '../../servers/our-server.js';
import type { LiveCheck } from '../live-check.js';
import { runOpenLoop } from '../open-loop.js';

const REQUEST = { path: '/models/sleeper/predict', body: JSON.stringify({ data: [1, 2, 3] }) };
const TRICKLE = 20;
const TRICKLE_GAP_MS = 500;
const IDLE_MS = 10_000;
const BURST = 100;

/** Whether a server that had little to do takes a burst for an overload. */
export const burstCheck: LiveCheck = {
  title: `A model that takes 20 + b ms, target latency 1 s: a trickle, ${IDLE_MS / 1000} s of nothing, then ${BURST} at once`,
  async run({ folder, progress }) {
    const model = {
      module: join(process.cwd(), 'dist/bench/models/sleeper.js'),
      function: 'slowSleeper',
      target_latency: 1,
    };
    const server = configuredServer(join(folder, 'burst.yaml'), { models: { sleeper: model } });
    await server.start();
    try {
      progress('a trickle, a pause and a burst');
      const trickle = Array.from({ length: TRICKLE }, (_, index) => TRICKLE_GAP_MS * index);
      const burst = Array.from({ length: BURST }, () => TRICKLE_GAP_MS * TRICKLE + IDLE_MS);
      const answers = await runOpenLoop(server.url, [...trickle, ...burst], () => REQUEST);
      const ofBurst = answers.slice(TRICKLE).map(({ latencyMs }) => latencyMs);
      return [
        {
          what: 'not served',
          value: answers.filter(({ status }) => status !== 200).length,
          unit: '',
          atMost: 0,
        },
        { what: 'latency in the burst, longest', value: percentile(ofBurst, 1), unit: 'ms' },
      ];
    } finally {
      await server.stop();
    }
  },
};
