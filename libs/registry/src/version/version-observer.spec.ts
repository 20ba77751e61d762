import type { ObservedBatch } from '#batching';
import { ModelBreaker } from '#circuit-breaker';
import { ServingError, type ErrorCode } from '#model';
import type { ModelMetrics } from '#telemetry';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { VersionObserver } from './version-observer.js';

const RECOVERY_MS = 1000;

function observed(id: number, more: Partial<ObservedBatch> = {}): ObservedBatch {
  return { id, size: 1, trigger: 'window', items: [], startedAt: 0, endedAt: 1, error: undefined, ...more };
}

/** An observer whose breaker opens at the first failure. */
function createObserver() {
  const clock = { now: 0 };
  const breaker = new ModelBreaker({ threshold: 1, recoveryMs: RECOVERY_MS }, () => clock.now);
  const metrics = { batchEnded: () => undefined } as unknown as ModelMetrics;
  const observer = new VersionObserver(metrics, breaker, pino({ level: 'silent' }));
  const judge = (id: number, code?: ErrorCode) =>
    observer.batchJudged(code === undefined ? undefined : new ServingError(code, 'so it ended'), id);
  const run = (id: number, code?: ErrorCode) => {
    observer.batchStarted(observed(id));
    judge(id, code);
  };
  return { observer, breaker, clock, judge, run };
}

describe('what the breaker hears of batches', () => {
  it.each(['handler_failed', 'contract_violation', 'no_worker'] as const)('counts %s', (code) => {
    const { breaker, run } = createObserver();
    run(1, code);
    expect(breaker.state).toBe('open');
  });

  it.each(['invalid_input', 'cancelled', 'cost_too_large'] as const)('BC-079 does not count %s', (code) => {
    const { breaker, run } = createObserver();
    run(1, code);
    expect(breaker.state).toBe('closed');
  });

  it('BC-082 is no news of a batch from before it opened', () => {
    const { observer, breaker, clock, judge, run } = createObserver();
    observer.batchStarted(observed(1));
    run(2, 'handler_failed');
    clock.now = RECOVERY_MS;
    run(3);
    judge(1, 'handler_failed');
    expect(breaker.state).toBe('closed');
  });

  it('leaves the parts of a failed batch to the judgement on the whole', () => {
    const { observer, breaker, clock, judge, run } = createObserver();
    run(1, 'handler_failed');
    clock.now = RECOVERY_MS;
    observer.batchStarted(observed(2));
    observer.batchStarted(observed(3, { trigger: 'retry' }));
    expect(breaker.state).toBe('half-open');
    judge(2);
    expect(breaker.state).toBe('closed');
  });
});

describe('an open breaker and streams', () => {
  const step = (id: number, newcomers: number) =>
    observed(id, {
      trigger: 'step',
      streams: true,
      items: Array.from({ length: newcomers }, () => ({ arrival: 0 })),
    });

  it('is closed by the first good step of its probe, whatever becomes of the stream', () => {
    const { observer, breaker, clock, judge, run } = createObserver();
    run(1, 'handler_failed');
    clock.now = RECOVERY_MS;
    observer.batchStarted(observed(2, { streams: true }));
    observer.stepEnded(step(2, 1));
    expect(breaker.state).toBe('closed');
    judge(2, 'handler_failed');
    expect(breaker.state).toBe('closed');
  });

  it('is closed by a step that was the first of somebody who joined after the recovery time', () => {
    const { observer, breaker, clock, run } = createObserver();
    observer.batchStarted(observed(1, { streams: true }));
    run(2, 'handler_failed');
    clock.now = RECOVERY_MS - 1;
    observer.stepEnded(step(1, 1));
    expect(breaker.state).toBe('open');
    clock.now = RECOVERY_MS;
    observer.stepEnded(step(1, 0));
    expect(breaker.state).toBe('half-open');
    observer.stepEnded(step(1, 1));
    expect(breaker.state).toBe('closed');
  });
});
