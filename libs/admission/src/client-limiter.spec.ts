import type { ServingError } from '#model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClientLimiter, type ClientLimits } from './client-limiter.js';

function limiterOf(limits: ClientLimits) {
  const clock = { now: 1000 };
  const limiter = new ClientLimiter(new Map([['shop', limits]]), () => clock.now);
  const tryEnter = (client = 'shop') => {
    try {
      return { leave: limiter.enter(client) };
    } catch (error) {
      const { code, retryAfterSeconds, status } = error as ServingError;
      expect(status).toBe(429);
      return { code, retryAfterSeconds };
    }
  };
  return { clock, tryEnter };
}

describe('a client with limits', () => {
  it('has so many requests in flight, and gets their places back', () => {
    const { tryEnter } = limiterOf({ maxInFlight: 2 });
    const first = tryEnter();
    tryEnter();
    expect(tryEnter()).toEqual({ code: 'concurrency_limited', retryAfterSeconds: 1 });
    first.leave!();
    expect(tryEnter()).toHaveProperty('leave');
    expect(tryEnter()).toHaveProperty('code');
  });

  it('sends a burst, and then at its rate', () => {
    const { clock, tryEnter } = limiterOf({ maxRate: 0.5, burst: 2 });
    expect([tryEnter(), tryEnter()].every(({ leave }) => leave !== undefined)).toBe(true);
    expect(tryEnter()).toEqual({ code: 'rate_limited', retryAfterSeconds: 2 });
    clock.now += 1500;
    expect(tryEnter()).toEqual({ code: 'rate_limited', retryAfterSeconds: 1 });
    clock.now += 500;
    expect(tryEnter()).toHaveProperty('leave');
    expect(tryEnter()).toHaveProperty('code');
    clock.now += 3_600_000;
    expect([tryEnter(), tryEnter(), tryEnter()].map(({ code }) => code)).toEqual([
      undefined,
      undefined,
      'rate_limited',
    ]);
  });

  it('may send what one second allows at once, unless it is told otherwise', () => {
    const { tryEnter } = limiterOf({ maxRate: 5.5 });
    const codes = Array.from({ length: 6 }, () => tryEnter().code);
    expect(codes).toEqual([...Array.from({ length: 5 }, () => undefined), 'rate_limited']);
  });

  it('does not pay for what is refused', () => {
    const { clock, tryEnter } = limiterOf({ maxRate: 1, burst: 1, maxInFlight: 1 });
    const { leave } = tryEnter();
    clock.now += 1000;
    expect(tryEnter().code).toBe('concurrency_limited');
    leave!();
    expect(tryEnter()).toHaveProperty('leave');
  });

  it('hinders nobody else', () => {
    const { tryEnter } = limiterOf({ maxInFlight: 1 });
    tryEnter();
    for (let request = 0; request < 100; request++) expect(tryEnter('somebody')).toHaveProperty('leave');
  });

  it('never gets more than its burst and its rate in any span of time, and never less at its rate', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(
        gaps,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 8 }),
        (waits, maxRate, burst) => {
          const { clock, tryEnter } = limiterOf({ maxRate, burst });
          const accepted: number[] = [];
          for (const wait of waits) {
            clock.now += wait;
            if (tryEnter().leave !== undefined) accepted.push(clock.now);
          }
          for (const [from, start] of accepted.entries()) {
            for (let to = from; to < accepted.length; to++) {
              const allowed = burst + ((accepted[to]! - start) * maxRate) / 1000;
              expect(to - from + 1).toBeLessThanOrEqual(allowed + 1e-6);
            }
          }
          const steady = limiterOf({ maxRate, burst });
          for (let request = 0; request < 50; request++) {
            expect(steady.tryEnter()).toHaveProperty('leave');
            steady.clock.now += 1000 / maxRate;
          }
        },
      ),
    );
  });
});
