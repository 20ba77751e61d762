import type { VirtualClock } from '../src/index.js';
import { createBatcher } from './batcher-fixture.js';
import { TimedLane } from './timed-lane.js';

/** What one minute of a long run brought. */
export interface Minute {
  ok: number;
  refused: number;
  latencyMs: number;
}

/**
 * Half an hour of steady load on four lanes, in which one request in twenty is given up and one in twenty has a
 * deadline that it cannot meet.
 */
export function runForHalfAnHour(): { minutes: Minute[]; runs: number[]; clock: VirtualClock; left: number } {
  const { clock, batcher } = createBatcher({ maxBatchSize: 8, timeoutMs: 2000 });
  const lanes = [0, 1, 2, 3].map(
    (id) =>
      new TimedLane<number, number>(
        clock,
        (batch) => batch,
        (size) => 40 + 2 * size,
        id,
      ),
  );
  for (const lane of lanes) batcher.addLane(lane);
  const minutes: Minute[] = Array.from({ length: 30 }, () => ({ ok: 0, refused: 0, latencyMs: 0 }));
  for (let n = 0; n < 30 * 60 * 100; n++) {
    const sentAt = clock.now();
    const minute = minutes[Math.floor(sentAt / 60_000)]!;
    const client = n % 20 === 3 ? new AbortController() : undefined;
    const onOk = () => {
      minute.ok++;
      minute.latencyMs += clock.now() - sentAt;
    };
    const options = {
      ...(client === undefined ? {} : { signal: client.signal }),
      ...(n % 20 === 7 ? { timeoutMs: 20 } : {}),
    };
    batcher.enqueue(n, options, onOk, () => minute.refused++);
    clock.runUntil(sentAt + 5);
    client?.abort();
    clock.runUntil(sentAt + 10);
  }
  clock.runUntil(clock.now() + 10_000);
  return {
    minutes,
    runs: lanes.map(({ inputs }) => inputs.length),
    clock,
    left: batcher.queueSize + batcher.runningSize,
  };
}
