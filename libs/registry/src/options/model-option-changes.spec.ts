import { describe, expect, it } from 'vitest';
import { applyChanges, LIVE_OPTIONS, readOptionChanges } from './model-option-changes.js';
import { OPTION_TABLE } from './option-table.js';

describe('changes of options as REST sends them', () => {
  it('are read like options, and null clears', () => {
    expect(readOptionChanges({ max_wait_time: 0.005, target_latency: null, window: 'eager' })).toEqual({
      maxWaitMs: 5,
      targetLatencyMs: null,
      window: 'eager',
    });
  });

  it('may clear one member of a group, or all of them', () => {
    expect(readOptionChanges({ breaker: { threshold: 3, failure_rate: null } })).toEqual({
      breakerThreshold: 3,
      breakerFailureRate: null,
    });
    expect(readOptionChanges({ breaker: null })).toEqual({
      breakerThreshold: null,
      breakerRecoveryMs: null,
      breakerFailureRate: null,
      breakerFailureWindow: null,
    });
  });

  it.each([
    [{ max_wait: 1 }, 'max_wait'],
    [{ max_wait: null }, 'max_wait'],
    [{ breaker: { treshold: null } }, 'treshold'],
    [{ breaker: 3 }, 'breaker'],
    [{ max_batch_size: 1.5 }, 'max_batch_size'],
  ])('are refused when they are %j', (changes, field) => {
    expect(() => readOptionChanges(changes)).toThrow(field);
  });

  it('leave the other options of the operator alone', () => {
    const options = { maxBatchSize: 4, timeoutMs: 100 };
    expect(applyChanges(options, { timeoutMs: null, maxQueueSize: 3 })).toEqual({
      maxBatchSize: 4,
      maxQueueSize: 3,
    });
  });

  it('can be live only for options that there are', () => {
    const names = new Set<string>(OPTION_TABLE.map(({ name }) => name));
    for (const name of LIVE_OPTIONS) expect(names).toContain(name);
  });
});
