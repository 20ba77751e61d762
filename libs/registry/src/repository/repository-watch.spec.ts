import { VirtualClock } from '#batching';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RepositoryWatch } from './repository-watch.js';

let path: string;
let clock: VirtualClock;
let changed: string[];
let watch: RepositoryWatch;

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'smartbatch-watch-'));
  clock = new VirtualClock();
  changed = [];
  watch = new RepositoryWatch(
    path,
    clock,
    (model) => changed.push(model),
    (error) => {
      throw error;
    },
  );
  await watch.ready();
});
afterEach(async () => {
  await watch.close();
  rmSync(path, { recursive: true });
});

describe('changes of a repository', () => {
  it('are told once a model has been left alone', async () => {
    watch.noticed('a');
    await clock.advance(150);
    watch.noticed('a');
    watch.noticed('b');
    await clock.advance(150);
    expect(changed).toEqual([]);
    await clock.advance(50);
    expect(changed).toEqual(['a', 'b']);
    await clock.advance(10_000);
    expect(changed).toEqual(['a', 'b']);
    watch.noticed('a');
    await clock.advance(200);
    expect(changed).toEqual(['a', 'b', 'a']);
  });

  it('are not told once it has been closed', async () => {
    watch.noticed('a');
    await watch.close();
    await clock.advance(10_000);
    expect(changed).toEqual([]);
  });
});
