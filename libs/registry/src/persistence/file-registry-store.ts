import { Ajv } from 'ajv';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { DirectoryLock } from './directory-lock.js';
import type { RegistryState, RegistryStore } from './registry-store.js';

/** Raised when the form of the file changes in a way that older servers cannot read. */
const SCHEMA_VERSION = 1;

const validate = new Ajv().compile({
  type: 'object',
  required: ['schema', 'models'],
  properties: {
    schema: { const: SCHEMA_VERSION },
    models: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'version', 'settings'],
        properties: {
          name: { type: 'string' },
          version: { type: 'string' },
          settings: { type: 'object' },
        },
      },
    },
    traffic: { type: 'object' },
  },
});

/**
 * Keeps the state in `registry.json` of a directory, which belongs to one server alone.
 *
 * A new state is written beside the old one, brought to the disk, and renamed over it: a name stands for the old file
 * or for the whole new one, never for a part. The directory is brought to the disk too, or a power cut could undo the
 * renaming.
 */
export class FileRegistryStore implements RegistryStore {
  readonly #directory: string;
  readonly #file: string;
  readonly #lock: DirectoryLock;
  readonly #logger: Logger;

  constructor(directory: string, logger: Logger) {
    this.#directory = directory;
    this.#file = join(directory, 'registry.json');
    this.#lock = new DirectoryLock(directory);
    this.#logger = logger;
  }

  /** @throws {DirectoryInUseError} when another server has the directory */
  async open(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    await this.#lock.acquire();
  }

  close(): Promise<void> {
    return this.#lock.release();
  }

  /** A file that cannot be understood is set aside under another name, and a new one begun. */
  async read(): Promise<RegistryState> {
    await mkdir(this.#directory, { recursive: true });
    let text: string;
    try {
      text = await readFile(this.#file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { models: [] };
      throw error;
    }
    try {
      return parse(text);
    } catch (error) {
      await this.#setAside((error as Error).message);
      return { models: [] };
    }
  }

  async write(state: RegistryState): Promise<void> {
    const fresh = `${this.#file}.new`;
    const file = await open(fresh, 'w');
    try {
      await file.writeFile(`${JSON.stringify({ schema: SCHEMA_VERSION, ...state }, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, this.#file);
    const directory = await open(this.#directory, 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  }

  async #setAside(reason: string): Promise<void> {
    const aside = `${this.#file}.damaged-${new Date().toISOString().replaceAll(':', '-')}`;
    await rename(this.#file, aside);
    this.#logger.error(
      { file: this.#file, setAside: aside, reason },
      'the saved registrations cannot be read: they were set aside, and none of them is served',
    );
  }
}

/** @throws {Error} saying what is wrong with the text */
function parse(text: string): RegistryState {
  const content = JSON.parse(text) as unknown;
  if (validate(content)) {
    const { schema: _, ...state } = content as RegistryState & { schema: number };
    return state;
  }
  const [{ instancePath, message } = {}] = validate.errors!;
  throw new Error(`${instancePath ?? ''} ${message ?? ''}`.trim());
}
