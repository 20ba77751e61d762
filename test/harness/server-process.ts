import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A test file that fails must not leave its servers behind. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A `node dist/main.js` of its own, with nothing of this process's environment but the search path. */
export class ServerProcess {
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  #stdout = '';
  #stderr = '';
  #end: ProcessEnd | undefined;

  constructor(environment: Readonly<Record<string, string>>, args: readonly string[] = []) {
    const { PATH = '', HOME = '' } = process.env;
    this.#child = spawn(process.execPath, ['dist/main.js', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH, HOME, HOST: '127.0.0.1', ...environment },
    });
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    running.add(this.#child);
    // Not `exit`, after which output may still come.
    this.ended = once(this.#child, 'close').then(([code, signal]) => {
      running.delete(this.#child);
      this.#end = { code: code as number | null, signal: signal as NodeJS.Signals | null };
      return this.#end;
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  get stdoutLines(): string[] {
    return this.#stdout.split('\n').filter((line) => line !== '');
  }

  get stderrLines(): string[] {
    return this.#stderr.split('\n').filter((line) => line !== '');
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
