import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProcessCounts } from '../../measure/process-counts.js';
import { configuredServer } from '../../servers/our-server.js';
import type { ServerProcess } from '../../servers/server-process.js';
import type { Finding, LiveCheck } from '../live-check.js';

const CYCLES = 200;
const PREDICTIONS = 10;
/** Caches and the allocator's pools have filled by then. */
const WARM_UP = 20;
const FOLDER = resolve('models/digits');
const BODY = readFileSync(join(FOLDER, 'samples/seven.json'));
const JSON_TYPE = { 'content-type': 'application/json' };

/** What stays of models that were registered, used and deleted (BC-092). */
export const cyclesCheck: LiveCheck = {
  title: `${CYCLES} cycles of registering an ONNX file, ${PREDICTIONS} predictions, and deleting it`,
  async run({ folder, progress }) {
    const server = configuredServer(
      join(folder, 'cycles.yaml'),
      { model_paths: [FOLDER], models: {} },
      { NODE_OPTIONS: `--import ${pathToFileURL('dist/bench/measure/report-counts.js').href}` },
    );
    await server.start();
    try {
      let failed = 0;
      let first: ProcessCounts | undefined;
      for (let cycle = 1; cycle <= CYCLES; cycle++) {
        failed += await runCycle(server.url);
        if (cycle === WARM_UP) first = await counts(server);
        if (cycle % 20 === 0)
          progress(`${cycle} cycles, ${(await counts(server)).residentMiB.toFixed(0)} MiB`);
      }
      return [
        { what: 'failed requests', value: failed, unit: '', atMost: 0 },
        ...growth(first!, await counts(server)),
      ];
    } finally {
      await server.stop();
    }
  },
};

async function counts(server: ServerProcess): Promise<ProcessCounts> {
  return (await server.ask({})) as ProcessCounts;
}

/** @returns how many of its requests failed */
async function runCycle(url: string): Promise<number> {
  const model = `${url}/admin/models/cycle`;
  const settings = JSON.stringify({ onnx: 'digits.onnx', version: '1' });
  const predictions = Array.from({ length: PREDICTIONS }, () =>
    fetch.bind(undefined, `${url}/models/cycle/predict`, { method: 'POST', headers: JSON_TYPE, body: BODY }),
  );
  const steps = [
    () => fetch(model, { method: 'POST', headers: JSON_TYPE, body: settings }),
    ...predictions,
    () => fetch(`${model}/1`, { method: 'DELETE' }),
  ];
  let failed = 0;
  for (const step of steps) {
    const response = await step();
    await response.arrayBuffer();
    if (!response.ok) failed++;
  }
  return failed;
}

function growth(first: ProcessCounts, last: ProcessCounts): Finding[] {
  const grown = (name: keyof ProcessCounts) => last[name] - first[name];
  const after = `from cycle ${WARM_UP} to ${CYCLES}`;
  return [
    ...(['threads', 'files', 'timers', 'handles', 'listeners'] as const).map((name) => ({
      what: `more ${name}, ${after}`,
      value: grown(name),
      unit: '',
      atMost: 0,
    })),
    { what: `more JavaScript heap, ${after}`, value: grown('heapMiB'), unit: 'MiB', atMost: 5 },
    {
      what: `memory of the process at cycle ${CYCLES} ÷ at cycle ${WARM_UP}`,
      value: last.residentMiB / first.residentMiB,
      unit: '',
      atMost: 1.1,
    },
    { what: 'memory of the process at the end', value: last.residentMiB, unit: 'MiB' },
  ];
}
