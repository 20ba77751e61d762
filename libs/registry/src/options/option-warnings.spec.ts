import { DEFAULT_MODEL_OPTIONS } from '#model';
import { describe, expect, it } from 'vitest';
import { optionWarnings } from './option-warnings.js';

describe('warnings about options', () => {
  it('says nothing about the defaults', () => {
    expect(optionWarnings(DEFAULT_MODEL_OPTIONS)).toEqual([]);
  });

  it('BC-005 names the limit that silently caps batches', () => {
    const [warning] = optionWarnings({ ...DEFAULT_MODEL_OPTIONS, maxBatchSize: 64, maxQueueSize: 16 });
    expect(warning).toBe('max_queue_size 16 keeps batches at 16, below max_batch_size 64');
  });

  it('BC-008 suspects milliseconds where seconds are meant', () => {
    const [warning] = optionWarnings({ ...DEFAULT_MODEL_OPTIONS, maxWaitMs: 10_000 });
    expect(warning).toContain('REST takes seconds');
  });

  it.each([
    ['max_queue_delay', { maxQueueDelayMs: 31_000, targetLatencyMs: 100 }],
    ['target_latency', { targetLatencyMs: 31_000 }],
  ])('names an aim that nobody can wait for: %s', (name, options) => {
    expect(optionWarnings({ ...DEFAULT_MODEL_OPTIONS, ...options })).toEqual([
      `${name} is above timeout, 30 seconds, and so has no effect`,
    ]);
  });

  it('names preferred sizes that can never be reached', () => {
    const [warning] = optionWarnings({ ...DEFAULT_MODEL_OPTIONS, preferredBatchSizes: [16, 64] });
    expect(warning).toBe('preferred_batch_sizes 64 are above max_batch_size 32');
  });
});
