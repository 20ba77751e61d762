import { describe, expect, it } from 'vitest';
import { SystemClock } from './system-clock.js';

const clock = new SystemClock();

function elapsed(delayMs: number): Promise<number> {
  return new Promise((resolve) => {
    const from = clock.now();
    clock.setTimer(delayMs, () => resolve(clock.now() - from));
  });
}

describe('the system clock', () => {
  it('keeps delays below a millisecond, which setTimeout cannot', async () => {
    let shortest = Infinity;
    // On a busy machine most rounds are long, but setTimeout would be 1 ms or later in every one.
    for (let round = 0; round < 2000 && shortest >= 0.9; round++) {
      shortest = Math.min(shortest, await elapsed(0.3));
    }
    expect(shortest).toBeGreaterThanOrEqual(0.3);
    expect(shortest).toBeLessThan(0.9);
  });

  it('never calls back early', async () => {
    for (const delayMs of [0, 0.5, 1.5, 3.3])
      expect(await elapsed(delayMs)).toBeGreaterThanOrEqual(delayMs - 0.1);
  });

  it('forgets a timer that was cancelled, a short one too', async () => {
    let calls = 0;
    for (const delayMs of [0, 0.5, 5]) clock.setTimer(delayMs, () => calls++).cancel();
    // Each looks at the clock in its turn, this one before the next: however late, it comes in time to cancel it.
    clock.setTimer(0.2, () => late.cancel());
    const late = clock.setTimer(1, () => calls++);
    await elapsed(8);
    expect(calls).toBe(0);
  });

  it('lets the event loop go on while a short timer waits', async () => {
    const order: string[] = [];
    const done = elapsed(1).then(() => order.push('timer'));
    setImmediate(() => order.push('event'));
    await done;
    expect(order).toEqual(['event', 'timer']);
  });
});
