import {
  ProcessTransport,
  ThreadTransport,
  type FromWorker,
  type ToWorker,
  type WorkerExit,
  type WorkerTransport,
} from '#gpu-pool';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { waitUntil } from '../harness/wait-until.js';

const KINDS: Readonly<Record<string, () => WorkerTransport>> = {
  thread: () => new ThreadTransport('cpu'),
  process: () => new ProcessTransport('cpu'),
};

const PLACE = { device: 'cpu', intraOpThreads: 1 };
const ASSIGNMENT = {
  workerId: 3,
  device: 'cpu',
  model: { name: 'm', version: '1', intraOpThreads: 1 },
  maxBatchCost: undefined,
  maxBatchSize: 32,
  selfCheck: 'off' as const,
};

/** One worker, and what it said so far. */
class Conversation {
  readonly said: FromWorker[] = [];
  readonly exits: WorkerExit[] = [];

  constructor(readonly worker: WorkerTransport) {
    worker.onMessage = (message) => this.said.push(message);
    worker.onExit = (exit) => this.exits.push(exit);
  }

  /** The first message of that type that is not a log line, and is not one of those before. */
  async next<T extends FromWorker['type']>(type: T, after = 0): Promise<Extract<FromWorker, { type: T }>> {
    let found: FromWorker | undefined;
    await waitUntil(`the worker says '${type}'`, () => {
      found = this.said.slice(after).find((message) => message.type === type);
      return found !== undefined;
    });
    return found as Extract<FromWorker, { type: T }>;
  }

  async start(name: string): Promise<void> {
    this.worker.post({
      type: 'load',
      source: { specifier: pathToFileURL(fixture(name)).href },
      place: PLACE,
    });
    await this.next('loaded');
    this.worker.post({ type: 'start', assignment: ASSIGNMENT });
    await this.next('ready');
  }

  async run(batch: number, values: readonly unknown[], transfer: ArrayBuffer[] = []) {
    this.worker.post(runMessage(batch, values), transfer);
    await waitUntil('the batch has ended', () => this.endOf(batch) !== undefined);
    return this.endOf(batch)!;
  }

  endOf(batch: number): FromWorker | undefined {
    return this.said.find(
      (message) => (message.type === 'result' || message.type === 'failed') && message.batch === batch,
    );
  }

  async end(): Promise<WorkerExit> {
    await waitUntil('the worker has ended', () => this.exits.length > 0);
    return this.exits[0]!;
  }

  async stop(): Promise<WorkerExit> {
    this.worker.post({ type: 'stop' });
    return this.end();
  }
}

function runMessage(batch: number, values: readonly unknown[]): ToWorker {
  const items = values.map((_, index) => ({ requestId: `r${index}`, parameters: {}, deadline: 0 }));
  return { type: 'run', batch, values, items };
}

describe.each(Object.keys(KINDS))('a worker %s', (kind) => {
  const open = () => new Conversation(KINDS[kind]!());

  it('loads, starts, runs and stops', async () => {
    const worker = open();
    await worker.start('mirror');
    expect(await worker.run(1, ['a', { b: [1, null] }])).toMatchObject({
      type: 'result',
      values: ['a', { b: [1, null] }],
    });
    const exit = await worker.stop();
    expect(worker.said.at(-1)).toEqual({ type: 'stopped' });
    expect([exit.exitCode, exit.error]).toEqual([0, undefined]);
    worker.worker.post({ type: 'stop' });
    expect(worker.exits).toHaveLength(1);
  });

  it('P2 gets tensors of every size as they were, and gives them back so', async () => {
    const worker = open();
    await worker.start('mirror');
    for (const [batch, length] of [0, 1, 1000, 3_000_000].entries()) {
      const data = Float32Array.from({ length }, (_, index) => index);
      const answer = await worker.run(batch, [{ data }], [data.buffer]);
      const [value] = (answer as unknown as { values: { data: Float32Array }[] }).values;
      expect(value!.data).toBeInstanceOf(Float32Array);
      expect([value!.data.length, value!.data.at(-1)]).toEqual([
        length,
        length === 0 ? undefined : length - 1,
      ]);
    }
    await worker.stop();
  });

  it('finishes what it runs before it stops', async () => {
    const worker = open();
    await worker.start('mirror');
    worker.worker.post(runMessage(1, [{ sleep: 100 }]));
    await worker.stop();
    expect(worker.endOf(1)).toMatchObject({ type: 'result' });
  });

  it('ends although its model has forgotten a timer', async () => {
    const worker = open();
    await worker.start('forgetful');
    expect((await worker.stop()).exitCode).toBe(0);
  });

  it('ends at once when it is given up while its model waits for ever', async () => {
    const worker = open();
    await worker.start('mirror');
    worker.worker.post(runMessage(1, [{ sleep: 1e9 }]));
    worker.worker.post({ type: 'quit' });
    await worker.end();
    expect(worker.endOf(1)).toBeUndefined();
  });

  it('refuses a model that cannot be had, and ends', async () => {
    const worker = open();
    worker.worker.post({
      type: 'load',
      source: { specifier: pathToFileURL(fixture('throws-on-import')).href },
      place: PLACE,
    });
    expect((await worker.next('refused')).error.message).toContain('the weights are missing');
    await worker.end();
  });

  it('tells how it died', async () => {
    const worker = open();
    await worker.start('mortal');
    worker.worker.post(runMessage(1, ['exit']));
    expect((await worker.end()).exitCode).toBe(3);
    expect(worker.endOf(1)).toBeUndefined();
  });

  it('is told at once what cannot be sent', async () => {
    const worker = open();
    await worker.start('mirror');
    expect(() => worker.worker.post(runMessage(1, [() => 1]))).toThrow('could not be cloned');
    expect(await worker.run(2, ['still here'])).toMatchObject({ values: ['still here'] });
    await worker.stop();
  });

  it('tells what its memory holds where it is asked to', async () => {
    const worker = open();
    worker.worker.post({
      type: 'load',
      source: { specifier: pathToFileURL(fixture('mirror')).href },
      place: PLACE,
    });
    worker.worker.post({ type: 'start', assignment: { ...ASSIGNMENT, tellsMemory: true } });
    await worker.run(1, ['a']);
    expect((await worker.next('memory')).bytes).toBeGreaterThan(2 ** 20);
    await worker.stop();
  });
});

describe('a worker process', () => {
  const isAlive = (pid: number) => {
    try {
      // A zombie is dead, but may wait for whoever has taken it over.
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };

  it('prints to the log', async () => {
    const worker = new Conversation(new ProcessTransport('cpu'));
    await worker.start('talkative');
    await worker.run(1, ['a']);
    await worker.stop();
    const lines = worker.said.filter((message) => message.type === 'log');
    expect(lines).toContainEqual({ type: 'log', level: 'info', message: 'to stdout' });
    expect(lines).toContainEqual({ type: 'log', level: 'warn', message: 'to stderr' });
  });

  it('is ended by force also while it computes', async () => {
    const transport = new ProcessTransport('cpu');
    const worker = new Conversation(transport);
    await worker.start('mirror');
    worker.worker.post(runMessage(1, [{ spin: true }]));
    transport.kill();
    expect((await worker.end()).signal).toBe('SIGKILL');
  });

  it('does not end for the signals of its group, which the server answers', async () => {
    const transport = new ProcessTransport('cpu');
    const worker = new Conversation(transport);
    await worker.start('mirror');
    process.kill(transport.pid!, 'SIGINT');
    process.kill(transport.pid!, 'SIGTERM');
    expect(await worker.run(1, ['a'])).toMatchObject({ values: ['a'] });
    await worker.stop();
  });

  it('sees only its own GPU, as cuda:0', async () => {
    const transport = new ProcessTransport('cuda:1');
    expect(transport.device).toBe('cuda:0');
    const worker = new Conversation(transport);
    await worker.start('mirror');
    expect(await worker.run(1, [{ variable: 'CUDA_VISIBLE_DEVICES' }])).toMatchObject({ values: ['1'] });
    await worker.stop();
  });

  it.each(['sleep', 'spin'])('ends when the server dies, also while its model does "%s"', async (deed) => {
    const parent = spawn(process.execPath, ['dist/test/fixtures/orphan-maker.js', fixture('mirror'), deed], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    parent.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await waitUntil('the worker is at it', () => output.includes('\n'));
    const pid = Number(output);
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await waitUntil('the orphan has ended', () => !isAlive(pid));
  });
});
