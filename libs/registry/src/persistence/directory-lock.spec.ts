import { mkdirSync, mkdtempSync, readdirSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DirectoryInUseError, DirectoryLock } from './directory-lock.js';

const newDirectory = () => mkdtempSync(join(tmpdir(), 'smartbatch-lock-'));

function newLongDirectory(): string {
  const directory = join(newDirectory(), 'x'.repeat(120));
  mkdirSync(directory);
  return directory;
}

describe('the lock of a directory', () => {
  it.each([
    ['any', newDirectory],
    ['one with a long path', newLongDirectory],
  ])('is held by one at a time: %s', async (_, create) => {
    const directory = create();
    const first = new DirectoryLock(directory);
    const second = new DirectoryLock(directory);
    await first.acquire();
    await expect(second.acquire()).rejects.toThrow(DirectoryInUseError);
    await expect(second.acquire()).rejects.toThrow(`${directory} is in use by another server`);
    await new DirectoryLock(create()).acquire();
    await first.release();
    await second.acquire();
    await second.release();
    await second.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is taken over from one that has left its socket behind', async () => {
    const directory = newDirectory();
    const first = new DirectoryLock(directory);
    await first.acquire();
    const path = join(directory, 'registry.lock');
    // Closing would take it away: so it looks after a kill.
    renameSync(path, `${path}.kept`);
    await first.release();
    renameSync(`${path}.kept`, path);
    const second = new DirectoryLock(directory);
    await second.acquire();
    await expect(new DirectoryLock(directory).acquire()).rejects.toThrow(DirectoryInUseError);
    await second.release();
  });
});
