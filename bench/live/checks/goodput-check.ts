import { AutoWindow } from '#batching';
import { join } from 'node:path';
import { configuredServer } from '../../servers/our-server.js';
import { overloadArrivals } from '../../simulate/acceptance/overload-arrivals.js';
import { runOverload, type OverloadCase } from '../../simulate/acceptance/overload-trace.js';
import type { Finding, LiveCheck } from '../live-check.js';
import { runOpenLoop } from '../open-loop.js';

const LOADS = [0.8, 1.2, 2];
const SECONDS = 10;
const SEEDS = [11, 12, 13];
/** As the model `slowSleeper` takes it. */
const LAW = { baseMs: 20, perCostMs: 1 };
const LIMIT = 32;
const TIMEOUT_MS = 150;
const CAPACITY_PER_SECOND = (1000 * LIMIT) / (LAW.baseMs + LAW.perCostMs * LIMIT);
const REQUEST = { path: '/models/sleeper/predict', body: JSON.stringify({ data: [1, 2, 3] }) };

/** Whether the simulator tells the truth: the same arrivals, live and simulated. */
export const goodputCheck: LiveCheck = {
  title: 'Answers in time of a model that takes 20 + b ms, the same Poisson arrivals live and simulated',
  async run({ folder, progress }) {
    const model = {
      module: join(process.cwd(), 'dist/bench/models/sleeper.js'),
      function: 'slowSleeper',
      max_queue_size: 10_000,
      timeout: TIMEOUT_MS / 1000,
    };
    const server = configuredServer(join(folder, 'goodput.yaml'), { models: { sleeper: model } });
    await server.start();
    try {
      const findings: Finding[] = [];
      await runOpenLoop(server.url, warmUp(), () => REQUEST);
      for (const load of LOADS) {
        progress(`${load} of the capacity`);
        findings.push(...(await compare(server.url, load)));
      }
      return findings;
    } finally {
      await server.stop();
    }
  },
};

async function compare(url: string, load: number): Promise<Finding[]> {
  const shares = { simulated: 0, live: 0 };
  for (const seed of SEEDS) {
    const each = overloadCase(load, seed);
    shares.simulated += (100 * runOverload(each).onTime) / each.count / SEEDS.length;
    const answers = await runOpenLoop(url, overloadArrivals(each), () => REQUEST);
    const served = answers.filter(({ status }) => status === 200).length;
    shares.live += (100 * served) / each.count / SEEDS.length;
  }
  const { simulated, live } = shares;
  const at = `in time at ${load}× of the capacity`;
  return [
    { what: `${at}, simulated`, value: simulated, unit: '%' },
    { what: `${at}, live`, value: live, unit: '%' },
    { what: `${at}, difference`, value: Math.abs(live - simulated), unit: 'points', atMost: 3 },
  ];
}

function overloadCase(load: number, seed: number): OverloadCase {
  return {
    law: LAW,
    limit: LIMIT,
    timeoutMs: TIMEOUT_MS,
    load,
    arrivals: 'poisson',
    count: Math.round(load * CAPACITY_PER_SECOND * SECONDS),
    seed,
    window: () => new AutoWindow(),
    admission: true,
  };
}

/** Bursts of 1, 2, 4 … requests, 200 ms apart: enough for the law of the run times. */
function warmUp(): number[] {
  return Array.from({ length: 24 }, (_, round) =>
    Array.from({ length: 2 ** (round % 6) }, () => 200 * round),
  ).flat();
}
