const clock = new Int32Array(new SharedArrayBuffer(4));

/** Takes 20 + b milliseconds for b items, and says how many numbers each holds: a large input, a small result. */
export default function counting(batch: readonly unknown[]): number[] {
  Atomics.wait(clock, 0, 0, 20 + batch.length);
  return batch.map((item) => (item as { length: number }).length);
}
