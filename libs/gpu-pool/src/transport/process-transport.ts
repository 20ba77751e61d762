import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { FromWorker, ToWorker } from '../protocol/worker-messages.js';
import { encodeFrame } from './frame/encode-frame.js';
import { FrameReader } from './frame/frame-reader.js';
import { OutputLines } from './output-lines.js';
import { visibleDevice } from './visible-device.js';
import type { WorkerExit } from './worker-exit.js';
import type { WorkerTransport } from './worker-transport.js';

const ENTRY = fileURLToPath(new URL('../worker/process-main.js', import.meta.url));

/**
 * A worker in a process of its own. Messages go as frames over a socket pair; what the process prints goes to the log.
 *
 * One batch is in flight at a time, which bounds what waits in the socket. A line that breaks while the process
 * lives ends the process: nothing that it does could reach anybody.
 */
export class ProcessTransport implements WorkerTransport {
  readonly device: string;
  onMessage: (message: FromWorker) => void = () => undefined;
  onExit: (exit: WorkerExit) => void = () => undefined;
  readonly #process: ChildProcess;
  readonly #channel: Socket;
  #exit: WorkerExit | undefined;
  #error: Error | undefined;
  #hasStopped = false;

  constructor(device: string) {
    const visible = visibleDevice(device);
    this.device = visible.device;
    this.#process = spawn(process.execPath, [...ownFlags(), ENTRY], {
      // 3 carries the messages; 4 carries nothing, and its end tells the process that we are gone.
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...visible.environment },
    });
    this.#channel = this.#process.stdio[3] as Socket;
    (this.#process.stdio[4] as Socket | undefined)?.on('error', () => undefined).unref();
    this.#process.on('error', (error) => this.#couldNotStart(error));
    this.#process.on('exit', (exitCode, signal) => {
      this.#exit = { error: this.#error, exitCode, signal };
      // Its last results may still be on the way.
      if (this.#channel.closed) this.onExit(this.#exit);
    });
    if (this.#process.pid !== undefined) this.#listen();
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  post(message: ToWorker, transfer: readonly ArrayBuffer[] = []): void {
    if (!this.#channel.writable) return;
    const parts = encodeFrame(message, transfer);
    this.#channel.cork();
    for (const part of parts) this.#channel.write(part);
    this.#channel.uncork();
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  #listen(): void {
    const reader = new FrameReader<FromWorker>((message) => {
      if (message.type === 'stopped') this.#hasStopped = true;
      this.onMessage(message);
    });
    this.#channel.on('data', (chunk) => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.#error = new Error('the worker broke the protocol', { cause: error });
        this.#channel.destroy();
      }
    });
    // A broken line closes it, and that is what counts.
    this.#channel.on('error', () => undefined);
    this.#channel.on('close', () => {
      if (this.#exit !== undefined) this.onExit(this.#exit);
      else if (!this.#hasStopped) this.kill();
    });
    this.#tellLines(this.#process.stdout!, 'info');
    this.#tellLines(this.#process.stderr!, 'warn');
  }

  #tellLines(output: Readable, level: 'info' | 'warn'): void {
    const lines = new OutputLines((message) => this.onMessage({ type: 'log', level, message }));
    output.setEncoding('utf8');
    output.on('data', (text: string) => lines.push(text));
    output.on('end', () => lines.end());
    output.on('error', () => undefined);
  }

  /** Without a process there is no `exit` either. */
  #couldNotStart(error: Error): void {
    if (this.#process.pid !== undefined) return;
    this.onExit({ error, exitCode: null });
  }
}

/** What the server itself was started with, except for a debugger's port, which only one process can have. */
function ownFlags(): string[] {
  return process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
}
