import { readFileSync } from 'node:fs';

/** The n-grams that the model looks for, in the order of its inputs: all of one length, then the next. */
export const NGRAMS = JSON.parse(
  readFileSync(new URL('./ngrams.json', import.meta.url), 'utf8'),
) as readonly string[];

const LENGTHS = [1, 2, 3, 4];

const places = new Map(NGRAMS.map((ngram, place) => [ngram, place]));

/**
 * Writes a text's features into `features`, which holds zeros before: for each n-gram of {@link NGRAMS} its
 * share, 0 to 1, among the text's n-grams of that length.
 */
export function writeNgramFeatures(text: string, features: Float32Array): void {
  const normalized = normalize(text);
  for (const length of LENGTHS) {
    const total = normalized.length - length + 1;
    const counts = new Map<number, number>();
    for (let start = 0; start < total; start++) {
      const place = places.get(normalized.slice(start, start + length));
      if (place !== undefined) counts.set(place, (counts.get(place) ?? 0) + 1);
    }
    for (const [place, count] of counts) features[place] = count / total;
  }
}

/** Letters, marks and single spaces, in lower case, with a space at both ends: what the weights were trained on. */
function normalize(text: string): string {
  const letters = text
    .replace(/-+/g, ' ')
    .replace(/[^\p{L}\p{M}\s]/gu, '')
    .replace(/\s{2,}/g, ' ');
  return ` ${letters.toLowerCase().trim()} `;
}
