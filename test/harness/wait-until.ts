import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until the answer is yes. What a test waits for must come by itself; the limit only ends
 * a test that has failed.
 */
export async function waitUntil(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  limitMs = 20_000,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`in ${limitMs / 1000} s it did not come true that ${what}`);
    await sleep(10);
  }
}
