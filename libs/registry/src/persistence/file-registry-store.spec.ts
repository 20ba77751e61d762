import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { FileRegistryStore } from './file-registry-store.js';

const STATE = { models: [{ name: 'm', version: '1', settings: { module: './m.js', workers: 2 } }] };

let directory: string;
let lines: string[];
let logger: Logger;
let store: FileRegistryStore;

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'smartbatch-state-')), 'state');
  lines = [];
  logger = pino({}, { write: (line: string) => lines.push(line) });
  store = new FileRegistryStore(directory, logger);
});

describe('the file of a registry', () => {
  it('begins empty, in a directory that need not be there', async () => {
    expect(await store.read()).toEqual({ models: [] });
    expect(await readdir(directory)).toEqual([]);
  });

  it('gives back what was written last, also to another process', async () => {
    await store.read();
    await store.write({ models: [] });
    await store.write(STATE);
    expect(await new FileRegistryStore(directory, logger).read()).toEqual(STATE);
    expect(await readdir(directory)).toEqual(['registry.json']);
  });

  it('keeps what a later part of the server has put beside the models', async () => {
    await store.read();
    const state = { ...STATE, traffic: { m: { pinned: '1' } } };
    await store.write(state);
    expect(await store.read()).toEqual(state);
  });

  it('does not mind a half-written file beside it', async () => {
    await store.read();
    await store.write(STATE);
    await writeFile(join(directory, 'registry.json.new'), '{"schema": 1, "mod');
    expect(await store.read()).toEqual(STATE);
    await store.write({ models: [] });
    expect(await store.read()).toEqual({ models: [] });
  });

  it.each([
    ['is not JSON', '{"schema": 1, "mod', /JSON/],
    ['is empty', '', /JSON/],
    ['is of a newer server', '{"schema": 2, "models": []}', /schema/],
    ['is something else', '[]', /object/],
    ['holds something else', '{"schema": 1, "models": [{"name": 3}]}', /models/],
  ])('is set aside and reported, not dropped, where it %s', async (_, text, reason) => {
    await store.read();
    await writeFile(join(directory, 'registry.json'), text);
    expect(await store.read()).toEqual({ models: [] });
    const [aside] = await readdir(directory);
    expect(aside).toMatch(/^registry\.json\.damaged-/);
    expect(await readFile(join(directory, aside!), 'utf8')).toBe(text);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(reason);
    expect(lines[0]).toContain('were set aside');
  });
});
