import { fromFloat16, type Tensor } from '#model';

/** One class of an answer. */
export interface TopLabel {
  readonly label: string;
  /** The class's place in the output. */
  readonly index: number;
  /** The output's value for it: a probability or a logit, as the model gives it. */
  readonly score: number;
}

/**
 * The classes with the highest scores, the best first; of equal scores the lower index first.
 *
 * @param scores one number a class
 * @param count how many are wanted; fewer where there are fewer classes
 */
export function topLabels(scores: Tensor, labels: readonly string[], count: number): TopLabel[] {
  const read = scores.dtype === 'float16' ? fromFloat16 : Number;
  const values = Array.from(scores.data as ArrayLike<number | bigint>, (value) => read(value as number));
  return values
    .map((score, index) => ({ label: labels[index] ?? '', index, score }))
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, count);
}
