/** Numbers from 0 to 1 that a seed decides, by the generator of Park and Miller. */
export function seededNumbers(seed: number): () => number {
  let state = seed % 2147483647 || 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}
