import { FaultFolder } from '#testing';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../measure/percentile.js';
import { ServerMetrics } from '../../measure/server-metrics.js';
import { configuredServer } from '../../servers/our-server.js';
import type { LiveCheck } from '../live-check.js';
import { runOpenLoop, type OpenLoopAnswer } from '../open-loop.js';

const SECONDS = 5;
const ROUNDS = 3;
const RUN_TIMEOUT_S = SECONDS + 2;
const LIMIT = 16;
/** What one worker of the model `slowSleeper` can do, and half as much again. */
const PER_SECOND = (1.5 * 1000 * LIMIT) / (20 + LIMIT);
const DUE = Array.from(
  { length: Math.round(PER_SECOND * SECONDS) },
  (_, index) => (1000 * index) / PER_SECOND,
);
const POLL_MS = 50;

/** What two workers still do when one of them stalls for good. */
export const stalledLaneCheck: LiveCheck = {
  title: `A model that takes 20 + b ms, 1.5× the capacity of one worker: one worker, and two of which one stalls`,
  async run({ folder, progress }) {
    const faults = new FaultFolder(join(folder, 'stalls'));
    const settings = { max_batch_size: LIMIT, run_timeout: RUN_TIMEOUT_S };
    const models = {
      one: {
        ...settings,
        module: join(process.cwd(), 'dist/bench/models/sleeper.js'),
        function: 'slowSleeper',
      },
      two: { ...settings, module: join(process.cwd(), 'dist/bench/models/stalling.js'), workers: 2 },
    };
    const server = configuredServer(join(folder, 'stalled-lane.yaml'), { models }, { STALLS: faults.path });
    await server.start();
    const load = (model: string) => runOpenLoop(server.url, DUE, () => request(model));
    const lanes = async () => (await ServerMetrics.of(server.url)).sum('smartbatch_lanes', 'two');
    try {
      await Promise.all([load('one'), load('two')]);
      const ratios: number[] = [];
      const stalled: OpenLoopAnswer[] = [];
      const others: OpenLoopAnswer[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        progress(`round ${round} of ${ROUNDS}`);
        const alone = await load('one');
        faults.order({ kind: 'stall' });
        const lost = runOpenLoop(server.url, [0], () => request('two'));
        while (faults.open > 0) await delay(POLL_MS);
        const beside = await load('two');
        stalled.push(...(await lost));
        while ((await lanes()) < 2) await delay(POLL_MS);
        ratios.push(count(beside, 200) / count(alone, 200));
        others.push(...beside);
      }
      return [
        {
          what: 'served with one of two stalled ÷ served by one, median',
          value: percentile(ratios, 0.5),
          unit: '',
          atLeast: 0.95,
        },
        { what: 'the same, worst round', value: percentile(ratios, 0), unit: '' },
        {
          what: 'stalled batches that were not answered with 504',
          value: ROUNDS - count(stalled, 504),
          unit: '',
          atMost: 0,
        },
        {
          what: 'others, neither served nor refused with 429',
          value: others.length - count(others, 200) - count(others, 429),
          unit: '',
          atMost: 0,
        },
        { what: 'lanes at the end', value: await lanes(), unit: '', atLeast: 2 },
      ];
    } finally {
      await server.stop();
    }
  },
};

function request(model: string) {
  return { path: `/models/${model}/predict`, body: JSON.stringify({ data: [1, 2, 3] }) };
}

function count(answers: readonly OpenLoopAnswer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}
