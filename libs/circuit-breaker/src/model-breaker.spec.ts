import { describe, expect, it } from 'vitest';
import { ModelBreaker, type BatchVerdict, type ModelBreakerOptions } from './model-breaker.js';

const RECOVERY_MS = 10_000;

/** A breaker, and the clock that it reads. */
function createBreaker(options: Partial<ModelBreakerOptions> = {}) {
  const clock = { now: 0 };
  const breaker = new ModelBreaker({ threshold: 3, recoveryMs: RECOVERY_MS, ...options }, () => clock.now);
  return { breaker, clock };
}

/** Runs batches one after the other. */
function run(breaker: ModelBreaker, ...verdicts: readonly BatchVerdict[]): void {
  for (const verdict of verdicts) breaker.batchJudged(breaker.batchStarted(), verdict);
}

/** The `Retry-After` of the refusal, or `undefined` when there is none. */
function refusal(breaker: ModelBreaker, waiting = 0): number | undefined {
  try {
    breaker.assertCloses(waiting);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: 'breaker_open', status: 503 });
    return (error as { retryAfterSeconds: number }).retryAfterSeconds;
  }
}

/** A breaker that has just opened, and the clock that it reads. */
function openBreaker(options?: Partial<ModelBreakerOptions>) {
  const created = createBreaker(options);
  run(created.breaker, 'failed', 'failed', 'failed');
  expect(created.breaker.state).toBe('open');
  return created;
}

describe('the circuit breaker of a model version', () => {
  it('opens after so many consecutive failed batches, and says when to try again', () => {
    const { breaker, clock } = createBreaker();
    run(breaker, 'failed', 'failed');
    expect([breaker.state, refusal(breaker)]).toEqual(['closed', undefined]);
    run(breaker, 'failed');
    clock.now = 2500;
    expect([breaker.state, refusal(breaker)]).toEqual(['open', 8]);
  });

  it('counts consecutive failures only', () => {
    const { breaker } = createBreaker();
    run(breaker, 'failed', 'failed', 'succeeded', 'failed', 'failed');
    expect(breaker.state).toBe('closed');
  });

  it('opens by the share of failures where it is told to, once it has seen enough batches', () => {
    const { breaker } = createBreaker({ failureRate: 0.3, failureWindow: 8 });
    run(breaker, 'failed', 'failed', 'succeeded', 'succeeded', 'failed', 'succeeded', 'succeeded');
    expect(breaker.state).toBe('closed');
    run(breaker, 'succeeded');
    expect(breaker.state).toBe('closed');
    run(breaker, 'succeeded', 'succeeded', 'failed');
    expect(breaker.state).toBe('closed');
    run(breaker, 'failed');
    expect(breaker.state).toBe('open');
  });

  it('BC-079 is not opened by what its clients do', () => {
    const { breaker } = createBreaker();
    run(breaker, 'failed', 'failed', 'inconclusive', 'inconclusive', 'inconclusive');
    expect(breaker.state).toBe('closed');
    run(breaker, 'failed');
    expect(breaker.state).toBe('open');
  });

  it('forgets what it counted when an operator resets it, also what still runs', () => {
    const { breaker } = openBreaker();
    breaker.reset();
    expect([breaker.state, refusal(breaker)]).toEqual(['closed', undefined]);
    const before = breaker.batchStarted();
    run(breaker, 'failed', 'failed');
    breaker.reset();
    breaker.batchJudged(before, 'failed');
    run(breaker, 'failed', 'failed');
    expect(breaker.state).toBe('closed');
  });

  it('takes new settings', () => {
    const { breaker, clock } = createBreaker();
    run(breaker, 'failed', 'failed');
    breaker.configure({ threshold: 2, recoveryMs: 1000 });
    run(breaker, 'failed');
    expect(breaker.state).toBe('closed');
    run(breaker, 'failed');
    expect([breaker.state, refusal(breaker)]).toEqual(['open', 1]);
    clock.now = 1000;
    expect(breaker.state).toBe('half-open');
  });
});

describe('a probe', () => {
  it('BC-080 is let through after the recovery time, by a stored time and no timer, and closes the breaker', () => {
    const { breaker, clock } = openBreaker();
    clock.now = RECOVERY_MS;
    expect([breaker.state, refusal(breaker)]).toEqual(['half-open', undefined]);
    run(breaker, 'succeeded');
    expect([breaker.state, refusal(breaker)]).toEqual(['closed', undefined]);
    run(breaker, 'failed', 'failed');
    expect(breaker.state).toBe('closed');
  });

  it('BC-080 is reached also when more failures than enough end at once', () => {
    const { breaker, clock } = createBreaker();
    const tickets = Array.from({ length: 6 }, () => breaker.batchStarted());
    for (const ticket of tickets) {
      breaker.batchJudged(ticket, 'failed');
      clock.now += 1000;
    }
    // Opened by the third, at 2 s.
    expect(refusal(breaker)).toBe(6);
    clock.now = 2000 + RECOVERY_MS;
    expect(refusal(breaker)).toBeUndefined();
  });

  it('that fails opens it again, for a whole recovery time', () => {
    const { breaker, clock } = openBreaker();
    clock.now = RECOVERY_MS;
    run(breaker, 'failed');
    expect([breaker.state, refusal(breaker)]).toEqual(['open', 10]);
  });

  it('is alone: nobody waits behind it, and what runs beside it decides nothing', () => {
    const { breaker, clock } = openBreaker();
    clock.now = RECOVERY_MS;
    expect(refusal(breaker, 1)).toBe(1);
    const probe = breaker.batchStarted();
    expect([breaker.state, refusal(breaker)]).toEqual(['half-open', 1]);
    run(breaker, 'succeeded', 'failed');
    expect(breaker.state).toBe('half-open');
    breaker.batchJudged(probe, 'succeeded');
    expect(breaker.state).toBe('closed');
  });

  it('BC-079 that says nothing gives its place to the next', () => {
    const { breaker, clock } = openBreaker();
    clock.now = RECOVERY_MS;
    const probe = breaker.batchStarted();
    clock.now += 500;
    breaker.batchJudged(probe, 'inconclusive');
    expect([breaker.state, refusal(breaker)]).toEqual(['half-open', undefined]);
    run(breaker, 'succeeded');
    expect(breaker.state).toBe('closed');
  });

  it('BC-079 that never ends gives its place to another after a recovery time, and is stale from then on', () => {
    const { breaker, clock } = openBreaker();
    clock.now = RECOVERY_MS;
    const hung = breaker.batchStarted();
    clock.now = 2 * RECOVERY_MS;
    expect(refusal(breaker)).toBeUndefined();
    const second = breaker.batchStarted();
    breaker.batchJudged(hung, 'failed');
    expect(refusal(breaker)).toBe(1);
    breaker.batchJudged(second, 'succeeded');
    expect(breaker.state).toBe('closed');
  });
});

describe('BC-082 a batch from before a change of the breaker', () => {
  it('does not open it again when it fails after a good probe', () => {
    const { breaker, clock } = createBreaker({ threshold: 1 });
    const slow = Array.from({ length: 6 }, () => breaker.batchStarted());
    run(breaker, 'failed');
    clock.now = RECOVERY_MS;
    run(breaker, 'succeeded');
    for (const ticket of slow) breaker.batchJudged(ticket, 'failed');
    expect([breaker.state, refusal(breaker)]).toEqual(['closed', undefined]);
  });

  it('decides nothing while the probe runs', () => {
    const { breaker, clock } = createBreaker({ threshold: 1 });
    const [good, bad] = [breaker.batchStarted(), breaker.batchStarted()];
    run(breaker, 'failed');
    clock.now = RECOVERY_MS;
    const probe = breaker.batchStarted();
    breaker.batchJudged(bad, 'failed');
    expect(breaker.state).toBe('half-open');
    breaker.batchJudged(good, 'succeeded');
    expect(breaker.state).toBe('half-open');
    breaker.batchJudged(probe, 'succeeded');
    expect(breaker.state).toBe('closed');
  });

  it('that was queued and started while it was open is no evidence', () => {
    const { breaker } = openBreaker();
    run(breaker, 'succeeded', 'succeeded');
    expect(breaker.state).toBe('open');
  });
});
