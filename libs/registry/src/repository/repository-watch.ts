import type { Clock, Timer } from '#batching';
import { watch, type FSWatcher } from 'chokidar';
import { relative, sep } from 'node:path';

/** A file that has not grown for so long has been written, in milliseconds. */
const WRITTEN_AFTER_MS = 500;
/** Changes that come in such a row are one change. */
const QUIET_MS = 200;

/** Tells which models of a repository have changed, once they have been left alone for a moment. */
export class RepositoryWatch {
  readonly #watcher: FSWatcher;
  readonly #clock: Clock;
  readonly #onChange: (model: string) => void;
  readonly #pending = new Map<string, Timer>();

  /**
   * @param path of the repository
   * @param onChange told the name of a model
   * @param onError told what keeps changes from being seen
   */
  constructor(
    path: string,
    clock: Clock,
    onChange: (model: string) => void,
    onError: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#onChange = onChange;
    this.#watcher = watch(path, {
      ignoreInitial: true,
      awaitWriteFinish: { stabilityThreshold: WRITTEN_AFTER_MS },
    });
    this.#watcher.on('all', (_event, file) => {
      const [model = ''] = relative(path, file).split(sep);
      if (model !== '' && !model.startsWith('.')) this.noticed(model);
    });
    this.#watcher.on('error', onError);
  }

  /** Settles when changes are seen. */
  ready(): Promise<void> {
    return new Promise((resolve) => this.#watcher.once('ready', resolve));
  }

  /** Takes note of a change of a model. */
  noticed(model: string): void {
    this.#pending.get(model)?.cancel();
    const timer = this.#clock.setTimer(QUIET_MS, () => {
      this.#pending.delete(model);
      this.#onChange(model);
    });
    this.#pending.set(model, timer);
  }

  async close(): Promise<void> {
    for (const timer of this.#pending.values()) timer.cancel();
    this.#pending.clear();
    await this.#watcher.close();
  }
}
