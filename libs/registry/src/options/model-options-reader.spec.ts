import { DEFAULT_MODEL_OPTIONS, type ServingError } from '#model';
import { describe, expect, it } from 'vitest';
import { effectiveOptions, readRestOptions, toRestOptions } from './model-options-reader.js';

function refusal(run: () => unknown): ServingError {
  try {
    run();
  } catch (error) {
    return error as ServingError;
  }
  throw new Error('not refused');
}

describe('options of a model', () => {
  it('are seconds in REST and milliseconds in TypeScript', () => {
    expect(readRestOptions({ max_wait_time: 0.01, timeout: 30, workers: 2 })).toEqual({
      maxWaitMs: 10,
      timeoutMs: 30_000,
      workers: 2,
    });
    expect(toRestOptions(DEFAULT_MODEL_OPTIONS)).toMatchObject({
      max_wait_time: 0.01,
      timeout: 30,
      max_batch_size: 32,
    });
  });

  it.each([
    [{}, {}, 4],
    [{}, { maxBatchSize: 64 }, 4],
    [{ maxBatchSize: 2 }, {}, 2],
    [{ maxBatchSize: 2 }, { maxBatchSize: 3 }, 3],
  ])('BC-035 never make batches larger than the model can take: %j, %j', (author, operator, size) => {
    expect(effectiveOptions({ ...author, batchSizeLimit: 4 }, operator).maxBatchSize).toBe(size);
  });

  it('BC-007 that are unknown are refused by name', () => {
    const { code, message } = refusal(() => readRestOptions({ max_latency: 0.3 }));
    expect([code, message]).toEqual(['invalid_options', 'max_latency is not an option']);
  });

  it.each([
    [{ workers: 1.5 }, 'workers', 'integer'],
    [{ workers: 0 }, 'workers', '>= 1'],
    [{ max_batch_size: '8' }, 'max_batch_size', 'integer'],
    [{ max_wait_time: 10_000 }, 'max_wait_time', '<= 60'],
    [{ max_wait_time: -1 }, 'max_wait_time', '>= 0'],
    [{ timeout: 0 }, 'timeout', '>= 0.001'],
    [{ devices: ['gpu'] }, 'devices/0', 'pattern'],
    [{ preferred_batch_sizes: [8, 4] }, 'preferred_batch_sizes', 'ascending'],
    [{ cost: 'weight' }, 'cost', 'allowed values'],
  ])('BC-008 that are out of range are refused: %j', (options, field, message) => {
    const error = refusal(() => readRestOptions(options));
    expect(error.faults?.[0]?.field).toBe(field);
    expect(error.message).toContain(message);
  });

  it("take the operator's word before the author's, and that before the defaults", () => {
    const options = effectiveOptions({ maxBatchSize: 8, workers: 3 }, { workers: 1 });
    expect(options).toMatchObject({ maxBatchSize: 8, workers: 1, timeoutMs: 30_000 });
  });

  it('of an author that are out of range are named as the author wrote them', () => {
    expect(refusal(() => effectiveOptions({ maxBatchSize: 0 }, {})).message).toContain('maxBatchSize');
    expect(refusal(() => effectiveOptions({ maxWaitMs: -1 }, {})).message).toContain(
      'maxWaitMs (in seconds)',
    );
  });
});
