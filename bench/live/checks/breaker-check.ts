import { join } from 'node:path';
import { percentile } from '../../measure/percentile.js';
import { configuredServer } from '../../servers/our-server.js';
import type { LiveCheck } from '../live-check.js';
import { runOpenLoop } from '../open-loop.js';

const REQUEST = { path: '/models/failing/predict', body: JSON.stringify({ data: [1, 2, 3] }) };
const FAILURES = 5;
const PER_SECOND = 200;
const SECONDS = 10;

/** How fast a model that keeps failing is refused. */
export const breakerCheck: LiveCheck = {
  title: `${PER_SECOND} requests a second for a model whose circuit breaker is open`,
  async run({ folder, progress }) {
    const model = {
      module: join(process.cwd(), 'dist/bench/models/failing.js'),
      max_batch_size: 1,
      breaker: { threshold: FAILURES, recovery_time: 3600 },
    };
    const server = configuredServer(join(folder, 'breaker.yaml'), { models: { failing: model } });
    await server.start();
    try {
      const failures = Array.from({ length: FAILURES }, (_, index) => 100 * index);
      await runOpenLoop(server.url, failures, () => REQUEST);
      progress('the breaker is open');
      const due = Array.from({ length: PER_SECOND * SECONDS }, (_, index) => (1000 * index) / PER_SECOND);
      const answers = await runOpenLoop(server.url, due, () => REQUEST);
      const latencies = answers.map(({ latencyMs }) => latencyMs);
      return [
        {
          what: 'not refused by the breaker',
          value: answers.filter(({ status }) => status !== 503).length,
          unit: '',
          atMost: 0,
        },
        { what: 'latency of refusals, median', value: percentile(latencies, 0.5), unit: 'ms', atMost: 5 },
        { what: 'latency of refusals, p99', value: percentile(latencies, 0.99), unit: 'ms', atMost: 5 },
      ];
    } finally {
      await server.stop();
    }
  },
};
