import { join } from 'node:path';
import { percentile } from '../../measure/percentile.js';
import { watchMemory } from '../../measure/resident-memory.js';
import { configuredServer } from '../../servers/our-server.js';
import type { LiveCheck } from '../live-check.js';
import { runOpenLoop } from '../open-loop.js';

const SECONDS = 30;
const LOAD = 2;
const TARGET_MS = 200;
/** As the model `slowSleeper` takes it. */
const LIMIT = 32;
const CAPACITY_PER_SECOND = (1000 * LIMIT) / (20 + LIMIT);
const REQUEST = { path: '/models/sleeper/predict', body: JSON.stringify({ data: [1, 2, 3] }) };

/** Whether a server under twice its load still serves what it can, in time, and refuses the rest at once. */
export const overloadCheck: LiveCheck = {
  title: `A model that takes 20 + b ms, ${LOAD}× its capacity for ${SECONDS} s, target latency ${TARGET_MS} ms`,
  async run({ folder, progress }) {
    const model = {
      module: join(process.cwd(), 'dist/bench/models/sleeper.js'),
      function: 'slowSleeper',
      max_queue_size: 10_000,
      target_latency: TARGET_MS / 1000,
    };
    const server = configuredServer(join(folder, 'overload.yaml'), { models: { sleeper: model } });
    await server.start();
    try {
      progress('warm-up');
      await runOpenLoop(server.url, evenly(CAPACITY_PER_SECOND, 5), () => REQUEST);
      progress('overload');
      const memory = watchMemory(server.pid);
      const answers = await runOpenLoop(
        server.url,
        evenly(LOAD * CAPACITY_PER_SECOND, SECONDS),
        () => REQUEST,
      );
      const latencies = (status: number) =>
        answers.filter((answer) => answer.status === status).map(({ latencyMs }) => latencyMs);
      const [served, refused] = [latencies(200), latencies(429)];
      const inTime = served.filter((latencyMs) => latencyMs <= TARGET_MS);
      return [
        {
          what: 'answered within the target ÷ capacity',
          value: inTime.length / (CAPACITY_PER_SECOND * SECONDS),
          unit: '',
          atLeast: 0.95,
        },
        {
          what: 'latency of what was served, p99',
          value: percentile(served, 0.99),
          unit: 'ms',
          atMost: TARGET_MS,
        },
        { what: 'latency of what was served, median', value: percentile(served, 0.5), unit: 'ms' },
        { what: 'latency of refusals, median', value: percentile(refused, 0.5), unit: 'ms', atMost: 10 },
        { what: 'latency of refusals, p99', value: percentile(refused, 0.99), unit: 'ms' },
        {
          what: 'neither served nor refused',
          value: answers.length - served.length - refused.length,
          unit: '',
          atMost: 0,
        },
        { what: 'memory, last third ÷ middle third', value: growth(memory()), unit: '', atMost: 1.05 },
      ];
    } finally {
      await server.stop();
    }
  },
};

function evenly(perSecond: number, seconds: number): number[] {
  return Array.from({ length: Math.round(perSecond * seconds) }, (_, index) => (1000 * index) / perSecond);
}

function growth(memory: readonly number[]): number {
  const third = Math.floor(memory.length / 3);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return mean(memory.slice(-third)) / mean(memory.slice(-2 * third, -third));
}
