const clock = new Int32Array(new SharedArrayBuffer(4));

/** Takes 5 + 0.2 b milliseconds for b items, as a device does: its thread waits, and costs no CPU. */
export default function sleeper(batch: unknown[]): unknown[] {
  Atomics.wait(clock, 0, 0, 5 + 0.2 * batch.length);
  return batch;
}

/** Takes 20 + b milliseconds for b items: slow enough for one machine to send it several times what it can do. */
export function slowSleeper(batch: unknown[]): unknown[] {
  Atomics.wait(clock, 0, 0, 20 + batch.length);
  return batch;
}
