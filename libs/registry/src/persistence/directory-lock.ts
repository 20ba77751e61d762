import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Longest path of a socket that every system takes, in bytes. */
const LONGEST_SOCKET_PATH = 100;

/** A directory that another server uses. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';

  constructor(readonly directory: string) {
    super(`${directory} is in use by another server`);
  }
}

/**
 * Keeps a directory to one process of this machine. It is a socket that the process listens on: however the process
 * ends, nobody answers there any more, and the next one takes its place. A file with a process's number would outlive it.
 */
export class DirectoryLock {
  readonly #directory: string;
  #server: Server | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws {DirectoryInUseError} */
  async acquire(): Promise<void> {
    const path = await this.#socketPath();
    this.#server = (await listen(path)) ?? (await this.#takeOver(path));
    // It holds the directory and not the process.
    this.#server.unref();
  }

  async release(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  async #takeOver(path: string): Promise<Server> {
    if (!(await isAnswered(path))) {
      await rm(path, { force: true });
      const server = await listen(path);
      if (server !== undefined) return server;
    }
    throw new DirectoryInUseError(this.#directory);
  }

  async #socketPath(): Promise<string> {
    const directory = await realpath(this.#directory);
    const path = join(directory, 'registry.lock');
    if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) return path;
    const hash = createHash('sha256').update(directory).digest('hex');
    return join(tmpdir(), `smartbatch-${hash.slice(0, 16)}.lock`);
  }
}

/** @returns `undefined` when there is such a socket already */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(path, () => resolve(server));
  });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
