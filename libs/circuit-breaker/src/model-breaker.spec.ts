import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ModelBreaker } from './model-breaker.js';

// cockatiel reads Date.now(): both clocks move together here.
beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const failure = new Error('broken');
const settle = () => new Promise((resolve) => setImmediate(resolve));

function createBreaker() {
  return new ModelBreaker({ threshold: 3, recoveryMs: 10_000 }, () => Date.now());
}

async function judge(breaker: ModelBreaker, ...outcomes: readonly (Error | undefined)[]): Promise<void> {
  for (const outcome of outcomes) {
    breaker.batchStarted();
    breaker.batchJudged(outcome);
    await settle();
  }
}

describe('the circuit breaker of a model version', () => {
  it('opens after so many consecutive failed batches, and says when to try again', async () => {
    const breaker = createBreaker();
    await judge(breaker, failure, failure);
    expect(breaker.state).toBe('closed');
    breaker.assertCloses();
    await judge(breaker, failure);
    expect(breaker.state).toBe('open');
    vi.setSystemTime(2500);
    expect(() => breaker.assertCloses()).toThrow(
      expect.objectContaining({ code: 'breaker_open', status: 503, retryAfterSeconds: 8 }),
    );
  });

  it('counts consecutive failures only', async () => {
    const breaker = createBreaker();
    await judge(breaker, failure, failure, undefined, failure, failure);
    expect(breaker.state).toBe('closed');
  });

  it('BC-080 lets one batch probe after the recovery time, by a stored time and no timer', async () => {
    const breaker = createBreaker();
    await judge(breaker, failure, failure, failure);
    vi.setSystemTime(10_000);
    breaker.assertCloses();
    breaker.batchStarted();
    expect(() => breaker.assertCloses()).toThrow(expect.objectContaining({ code: 'breaker_open' }));
    breaker.batchJudged(undefined);
    await settle();
    expect(breaker.state).toBe('closed');
    breaker.assertCloses();
  });

  it('opens again when the probe fails', async () => {
    const breaker = createBreaker();
    await judge(breaker, failure, failure, failure);
    vi.setSystemTime(10_000);
    await judge(breaker, failure);
    expect(breaker.state).toBe('open');
    expect(() => breaker.assertCloses()).toThrow(expect.objectContaining({ retryAfterSeconds: 10 }));
  });

  it('BC-082 does not count batches that were admitted before it opened', async () => {
    const breaker = createBreaker();
    await judge(breaker, failure, failure, failure);
    await judge(breaker, undefined, undefined);
    expect(breaker.state).toBe('open');
  });
});
