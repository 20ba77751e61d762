import { join } from 'node:path';
import { percentile } from '../../measure/percentile.js';
import { ServerMetrics } from '../../measure/server-metrics.js';
import { configuredServer } from '../../servers/our-server.js';
import type { LiveCheck } from '../live-check.js';
import { runOpenLoop, type OpenLoopAnswer } from '../open-loop.js';

const SECONDS = 10;
const PATH = '/models/counting/predict';
/** Keeps the one place in the queue taken. */
const SMALL = { path: PATH, body: JSON.stringify({ data: [1, 2, 3] }) };
const SMALL_PER_SECOND = 300;
const LARGE_PER_SECOND = 20;

/** Whether large bodies that are refused cost the thread that answers everybody next to nothing. */
export const largeBodiesCheck: LiveCheck = {
  title: `${LARGE_PER_SECOND} bodies of 5 MB a second for a model whose queue is full`,
  async run({ folder, progress }) {
    const model = {
      module: join(process.cwd(), 'dist/bench/models/counting.js'),
      max_batch_size: 1,
      max_queue_size: 1,
    };
    const server = configuredServer(join(folder, 'large-bodies.yaml'), { models: { counting: model } });
    await server.start();
    try {
      const large = { path: PATH, body: fiveMegabytes() };
      await runOpenLoop(server.url, every(SMALL_PER_SECOND, 1), () => SMALL);
      progress('small bodies only');
      const before = await ServerMetrics.of(server.url);
      progress('with large bodies');
      const [small, answers] = await Promise.all([
        runOpenLoop(server.url, every(SMALL_PER_SECOND, SECONDS), () => SMALL),
        runOpenLoop(server.url, every(LARGE_PER_SECOND, SECONDS), () => large),
      ]);
      const after = await ServerMetrics.of(server.url);
      const counted = (name: string) => after.sum(name, 'counting') - before.sum(name, 'counting');
      const served = count(small, 200) + count(answers, 200);
      const refused = answers.filter(({ status }) => status === 429);
      return [
        {
          // prom-client's histogram starts anew at each scrape.
          what: 'delay of the event loop, p99',
          value: 1000 * after.sum('nodejs_eventloop_lag_p99_seconds'),
          unit: 'ms',
          atMost: 50,
        },
        { what: 'large bodies refused', value: refused.length / answers.length, unit: '', atLeast: 0.5 },
        {
          what: 'bodies parsed, less those that were served',
          value: counted('smartbatch_bodies_parsed_total') - served,
          unit: '',
          atMost: 0,
        },
        {
          what: 'latency of large refusals, median',
          value: percentile(
            refused.map(({ latencyMs }) => latencyMs),
            0.5,
          ),
          unit: 'ms',
        },
      ];
    } finally {
      await server.stop();
    }
  },
};

function count(answers: readonly OpenLoopAnswer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

function every(perSecond: number, seconds: number): number[] {
  return Array.from({ length: perSecond * seconds }, (_, index) => (1000 * index) / perSecond);
}

/** Numbers, as a client that knows no better sends a picture. */
function fiveMegabytes(): string {
  const numbers = Array.from({ length: 800_000 }, (_, index) => (index % 1000) / 1000);
  return JSON.stringify({ data: numbers });
}
