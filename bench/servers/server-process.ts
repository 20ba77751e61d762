import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const START_MS = 60_000;
const STOP_MS = 20_000;
const started = new Set<ChildProcess>();
// Whatever ends the benchmark, no server outlives it.
process.on('exit', () => started.forEach((child) => child.kill('SIGKILL')));

/** A server, or a direct loop, in a process of its own. */
export class ServerProcess {
  #child: ChildProcess | undefined;
  #port = 0;

  /**
   * @param script file to run, from the root of the project
   * @param environment variables beside `PORT`
   * @param isReady settles with whether it can be called
   */
  constructor(
    private readonly script: string,
    private readonly environment: Readonly<Record<string, string>> = {},
    private readonly isReady: (server: ServerProcess) => Promise<boolean> = answers,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  /** Settles when it can be called. */
  async start(): Promise<void> {
    this.#port = await freePort();
    this.#child = fork(this.script, {
      env: { ...process.env, NODE_ENV: 'production', ...this.environment, PORT: String(this.#port) },
      // As `npm start` does it; the servers beside ours get the same.
      execArgv: ['--max-semi-space-size=32'],
      // The table alone belongs on standard output.
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    started.add(this.#child);
    const limit = performance.now() + START_MS;
    while (!(await this.isReady(this))) {
      const { exitCode } = this.#child;
      if (exitCode !== null)
        throw new Error(`${this.script} ended with exit code ${exitCode} while it started`);
      if (performance.now() > limit)
        throw new Error(`${this.script} was not ready after ${START_MS / 1000} s`);
      await delay(50);
    }
  }

  /** Sends a message, and settles with the next one that comes back. */
  async ask(message: object): Promise<unknown> {
    const child = this.#child!;
    const settled = new AbortController();
    const { signal } = settled;
    const ended = once(child, 'exit', { signal }).then(() => {
      throw new Error(`${this.script} ended while it was measured`);
    });
    try {
      const answer = once(child, 'message', { signal });
      child.send(message);
      const [result] = (await Promise.race([answer, ended])) as unknown[];
      return result;
    } finally {
      settled.abort();
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await exit;
    clearTimeout(timer);
    started.delete(child);
  }
}

/** A server that is up answers, be it with 404; ours answers 503 until its models are ready. */
async function answers({ url }: ServerProcess): Promise<boolean> {
  const response = await fetch(`${url}/health/ready`).catch(() => undefined);
  return response !== undefined && response.status < 500;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
