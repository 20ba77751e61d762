import { describe, expect, it } from 'vitest';
import { createBatcher } from '../../test/batcher-fixture.js';
import { TimedLane } from '../../test/timed-lane.js';
import { AutoWindow } from './auto-window.js';
import { WindowPolicies } from './window-policies.js';
import type { WindowState } from './window-policy.js';

const serviceTimeMs = (size: number) => 5 + 0.2 * size;
const base: Omit<WindowState, 'now' | 'oldestArrival' | 'freeSince'> = {
  waiting: 1,
  limit: 32,
  lane: 0,
  lanes: 1,
  maxWaitMs: 10,
  serviceTimeMs,
};

/** A policy that has seen rounds of 8 clients which return 0.25 to 0.75 ms after their answers; ends at `now`. */
function afterClosedLoop(rounds = 40): { window: AutoWindow; now: number } {
  const window = new AutoWindow();
  let now = 0;
  // Batches of other sizes at first, which tell the law.
  for (const size of [1, 7, 1, 7]) window.completed({ now, lane: 0, size, latencyMs: 0 });
  now = 100;
  for (let round = 0; round < rounds; round++) {
    for (let client = 0; client < 8; client++) window.arrived(now + 0.25 + client / 16);
    window.dispatchAt({ ...base, now: now + 0.75, waiting: 8, oldestArrival: now + 0.25, freeSince: now });
    window.started({ now: now + 0.75, lane: 0, size: 8 });
    now += 0.75 + serviceTimeMs(8);
    window.completed({ now, lane: 0, size: 8, latencyMs: 8 * 7 });
  }
  return { window, now };
}

describe('the auto window', () => {
  it('is a policy that models can name', () => {
    expect(new WindowPolicies().create('auto')).toBeInstanceOf(AutoWindow);
  });

  it('does not hold before it knows anything', () => {
    const window = new AutoWindow();
    expect(window.dispatchAt({ ...base, now: 3, oldestArrival: 3, freeSince: 0 })).toBe(3);
    expect(
      window.dispatchAt({ ...base, now: 3, oldestArrival: 3, freeSince: 0, serviceTimeMs: () => 0 }),
    ).toBe(3);
  });

  it('waits for the clients of the batch before, and no longer than for the last of them', () => {
    const { window, now } = afterClosedLoop();
    window.arrived(now + 0.3);
    const at = { ...base, now: now + 0.3, oldestArrival: now + 0.3, freeSince: now };
    const until = window.dispatchAt(at);
    expect(until).toBeGreaterThan(now + 0.5);
    expect(until).toBeLessThan(now + 1.2);
    for (let client = 1; client < 8; client++) window.arrived(now + 0.3 + 0.01 * client);
    expect(window.dispatchAt({ ...at, now: now + 0.38, waiting: 8 })).toBeLessThanOrEqual(now + 0.38);
  });

  it('does not hold while another lane is free', () => {
    const { window, now } = afterClosedLoop();
    window.arrived(now + 0.3);
    const at = { ...base, lanes: 2, now: now + 0.3, oldestArrival: now + 0.3, freeSince: now };
    expect(window.dispatchAt(at)).toBe(now + 0.3);
  });

  it('bounds every hold by maxWaitMs, counted from when a lane is free and an item waits', () => {
    const { window, now } = afterClosedLoop();
    window.arrived(now + 0.3);
    for (const [freeSince, oldestArrival, sinceMs] of [
      [now, now + 0.3, 0.3],
      [now, now - 50, 0],
    ] as const) {
      const state = { ...base, maxWaitMs: 10, freeSince, oldestArrival };
      const end = now + sinceMs + 10;
      for (let at = now + 0.3; at < end; at += 0.05) {
        expect(window.dispatchAt({ ...state, now: at })).toBeLessThanOrEqual(end + 1e-9);
      }
      expect(window.dispatchAt({ ...state, now: end })).toBeLessThanOrEqual(end);
    }
  });

  it('never holds when maxWaitMs is 0', () => {
    const { window, now } = afterClosedLoop();
    window.arrived(now + 0.3);
    const at = { ...base, maxWaitMs: 0, now: now + 0.3, oldestArrival: now + 0.3, freeSince: now };
    expect(window.dispatchAt(at)).toBeLessThanOrEqual(now + 0.3);
  });

  it('does not hold past the slack of the tightest deadline', async () => {
    const { clock, batcher } = createBatcher({ window: new AutoWindow() });
    const lane = new TimedLane<number, number>(clock, (batch) => [...batch], serviceTimeMs);
    batcher.addLane(lane);
    let answered = 0;
    let late = 0;
    const client = async (timeoutMs: number): Promise<void> => {
      for (let round = 0; round < 60; round++) {
        await batcher.submit(1, { timeoutMs }).then(
          () => answered++,
          () => late++,
        );
        await new Promise<void>((resolve) => clock.setTimer(0.5, resolve));
      }
    };
    // One of them has hardly more time than a batch of all takes.
    const clients = Promise.all([9, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6].map(client));
    await clock.advance(3000);
    await clients;
    expect(answered + late).toBe(8 * 60);
    // Only before the run time is known may it happen that it has waited behind the others.
    expect(late).toBeLessThanOrEqual(2);
  });
});
