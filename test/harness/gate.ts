import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from './wait-until.js';

/**
 * Holds a handler of `test/fixtures` until the test lets it go on, so that what happens meanwhile does not hang
 * on anybody's speed. Tests pass {@link path} as the parameter `gate`.
 */
export class Gate {
  readonly path = join(mkdtempSync(join(tmpdir(), 'smartbatch-gate-')), 'gate');

  /** Settles when a handler stands before the gate. */
  entered(): Promise<void> {
    return waitUntil('a handler stands before the gate', () => existsSync(`${this.path}.entered`));
  }

  /** Lets whoever stands before it, or comes later, go on. */
  open(): void {
    writeFileSync(`${this.path}.open`, '');
  }
}
