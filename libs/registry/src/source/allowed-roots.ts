import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, resolve, sep } from 'node:path';

/** The folders that models' code and files may be loaded from. */
export class AllowedRoots {
  readonly #roots: readonly string[];
  readonly #baseDirectory: string;

  /**
   * @param roots folders; a relative one is taken from `baseDirectory`. One that does not exist allows nothing
   * @param baseDirectory where relative paths are looked for that no root has
   */
  constructor(roots: readonly string[], baseDirectory: string) {
    this.#roots = roots.map((root) => resolve(baseDirectory, root));
    this.#baseDirectory = baseDirectory;
  }

  /**
   * The real path of a file inside a root; a relative path is looked for in each root, then in the base directory.
   * Load what this returns and not what was asked for: it has been checked, and no symbolic link is left in it.
   *
   * @returns `undefined` when there is no such file, or it lies elsewhere. A caller cannot tell which, since that
   *   would tell strangers which files exist
   */
  async find(path: string): Promise<string | undefined> {
    const roots = await this.#realRoots();
    for (const candidate of this.#candidates(path)) {
      const file = await realFile(candidate);
      if (file !== undefined && roots.some((root) => file.startsWith(root))) return file;
    }
    return undefined;
  }

  #candidates(path: string): string[] {
    if (isAbsolute(path)) return [path];
    return [...this.#roots, this.#baseDirectory].map((folder) => resolve(folder, path));
  }

  /** Looked at anew each time: a root may be mounted, or turned into a link, while the server runs. */
  async #realRoots(): Promise<string[]> {
    const found = await Promise.all(this.#roots.map((root) => realpath(root).catch(() => undefined)));
    // With the separator behind it: `/models-private` is not inside `/models`.
    return found.filter((root) => root !== undefined).map((root) => (root.endsWith(sep) ? root : root + sep));
  }
}

/** A named pipe or a device would never end to be read. */
async function realFile(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}
