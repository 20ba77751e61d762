import { readFile } from 'node:fs/promises';

/**
 * Reads the names of a model's classes: a JSON list of texts, a JSON object from index to text, or lines of text.
 *
 * @returns the label of each class, by index
 * @throws {Error} that says what is wrong, without the file's path
 */
export async function readClassLabels(file: string): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`the labels file cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    });
  }
  const labels = /^\s*[[{]/.test(text) ? fromJson(text) : text.trimEnd().split(/\r?\n/);
  if (labels.every((label) => label === '')) {
    throw new Error('the labels file has no labels');
  }
  return labels;
}

function fromJson(text: string): string[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new Error(`the labels file is no JSON: ${(error as Error).message}`, { cause: error });
  }
  const entries = Object.entries(content as Record<string, unknown>);
  const labels = entries.map((_, index) => (content as Record<string, unknown>)[index]);
  if (labels.every((label) => typeof label === 'string')) return labels;
  throw new Error('the labels file must hold a list of texts, or an object that maps 0, 1, … to texts');
}
