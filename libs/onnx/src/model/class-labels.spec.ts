import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readClassLabels } from './class-labels.js';

const folder = mkdtempSync(join(tmpdir(), 'smartbatch-labels-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string): Promise<readonly string[]> {
  const file = join(folder, 'labels');
  writeFileSync(file, text);
  return readClassLabels(file);
}

describe('a file of labels', () => {
  it.each([
    ['lines', 'cat\ndog\n', ['cat', 'dog']],
    ['lines of Windows, one of them empty', 'cat\r\n\r\ndog', ['cat', '', 'dog']],
    ['a JSON list', '["cat", "dog"]', ['cat', 'dog']],
    ['a JSON object by index', '{"1": "dog", "0": "cat"}', ['cat', 'dog']],
  ])('may hold %s', async (_, text, labels) => {
    expect(await read(text)).toEqual(labels);
  });

  it.each([
    ['nothing', '\n', 'has no labels'],
    ['broken JSON', '["cat"', 'is no JSON'],
    ['numbers', '[1, 2]', 'must hold a list of texts'],
    ['an object with a gap', '{"0": "cat", "2": "dog"}', 'must hold a list of texts'],
    ['an empty list', '[]', 'has no labels'],
  ])('is refused with %s', async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('is refused without its path when it is missing', async () => {
    const refusal = await readClassLabels(join(folder, 'missing')).catch((error: Error) => error.message);
    expect(refusal).toBe('the labels file cannot be read (ENOENT)');
  });
});
