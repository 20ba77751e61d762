import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A model repository of a test's own. */
export class Repository {
  readonly path = mkdtempSync(join(tmpdir(), 'smartbatch-repository-'));

  /** Writes files into it, by their paths in it. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, name)), { recursive: true });
      writeFileSync(join(this.path, name), content);
    }
  }

  /** Puts a whole model into it at once, as careful operators do. */
  move(name: string, files: Readonly<Record<string, string | Uint8Array>>): void {
    const aside = new Repository();
    aside.write(
      Object.fromEntries(Object.entries(files).map(([file, content]) => [join(name, file), content])),
    );
    renameSync(join(aside.path, name), join(this.path, name));
  }
}
