import { DEFAULT_MODEL_OPTIONS, type ModelOptions, type ServingError } from '#model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveOptions, readRestOptions, toRestOptions } from './model-options-reader.js';
import { OPTION_TABLE } from './option-table.js';

/** Times as an operator writes them: whole milliseconds or tenths of them, in seconds. */
const seconds = (from: number, to: number) =>
  fc.integer({ min: from * 10_000, max: to * 10_000 }).map((tenths) => tenths / 10_000);

const restOptions = fc.record(
  {
    max_batch_size: fc.integer({ min: 1, max: 65_536 }),
    max_batch_cost: fc.double({ min: 1, max: 1e9, noNaN: true }),
    cost: fc.constantFrom('bytes', 'elements', 'length'),
    preferred_batch_sizes: fc.constantFrom([1], [1, 4, 16]),
    max_wait_time: seconds(0, 60),
    window: fc.constantFrom('auto', 'eager', 'fixed'),
    max_queue_size: fc.integer({ min: 1, max: 1_000_000 }),
    max_queue_delay: seconds(0, 3600),
    timeout: seconds(0.001, 86_400),
    target_latency: seconds(0.001, 3600),
    workers: fc.integer({ min: 1, max: 256 }),
    load_timeout: seconds(0.1, 86_400),
    devices: fc.constantFrom(['cpu'], ['cuda:0', 'cuda:12']),
    breaker: fc.record(
      {
        threshold: fc.integer({ min: 1, max: 1_000_000 }),
        recovery_time: seconds(0.01, 86_400),
        failure_rate: fc.constantFrom(0.1, 0.5),
      },
      { requiredKeys: ['threshold'] },
    ),
  },
  { requiredKeys: [] },
);

function faultsOf(run: () => unknown): { field: string; message: string }[] {
  try {
    run();
  } catch (error) {
    return [...((error as ServingError).faults ?? [])];
  }
  throw new Error('nothing was refused');
}

describe('the options of a model, from REST and back', () => {
  it('BC-007 show what was asked for', () => {
    fc.assert(
      fc.property(restOptions, (rest) => {
        expect(toRestOptions(readRestOptions(rest) as ModelOptions)).toEqual(rest);
      }),
      { numRuns: 1000 },
    );
  });

  it('BC-007 take effect beside the defaults', () => {
    fc.assert(
      fc.property(restOptions, (rest) => {
        const options = readRestOptions(rest);
        expect(effectiveOptions({}, options)).toEqual({ ...DEFAULT_MODEL_OPTIONS, ...options });
      }),
    );
  });

  it('have one name each in REST and in TypeScript, and times are marked in both', () => {
    const names = OPTION_TABLE.flatMap(({ name, restName }) => [name, restName]);
    const sameInBoth = OPTION_TABLE.filter(({ name, restName }) => (name as string) === restName);
    expect(new Set(names).size).toBe(names.length - sameInBoth.length);
    for (const { name, seconds: isTime = false } of OPTION_TABLE) expect(name.endsWith('Ms')).toBe(isTime);
  });

  it('have a place in the table for every default', () => {
    const known = OPTION_TABLE.map(({ name }) => name);
    expect(known).toEqual(expect.arrayContaining(Object.keys(DEFAULT_MODEL_OPTIONS)));
  });
});

describe('bad options', () => {
  it('are named all at once, each with its fault', () => {
    const faults = faultsOf(() => readRestOptions({ workers: 0, cost: 'x', colour: 1, timeout: 'soon' }));
    expect(faults.map(({ field }) => field).toSorted()).toEqual(['colour', 'cost', 'timeout', 'workers']);
    expect(faults.every(({ message }) => message.length > 0)).toBe(true);
  });

  it('inside a mapping are named with it', () => {
    const faults = faultsOf(() =>
      readRestOptions({ breaker: { threshold: 0, recovery: 1, failure_rate: 1 } }),
    );
    expect(faults.map(({ field }) => field).toSorted()).toEqual([
      'breaker.failure_rate',
      'breaker.recovery',
      'breaker.threshold',
    ]);
    expect(faultsOf(() => readRestOptions({ breaker: 5 }))).toEqual([
      { field: 'breaker', message: 'must be object' },
    ]);
  });

  it.each(['constructor', '__proto__', 'toString', 'maxBatchSize'])('BC-007 include %s', (name) => {
    const rest = JSON.parse(`{ ${JSON.stringify(name)}: 1 }`) as Record<string, unknown>;
    expect(faultsOf(() => readRestOptions(rest))).toEqual([{ field: name, message: 'is not an option' }]);
  });

  it.each([
    ['maxBatchSize', 1.5],
    ['maxBatchCost', 0],
    ['maxQueueSize', 0],
    ['maxStreamBuffer', 0],
    ['workers', 257],
    ['preferredBatchSizes', [4, 4]],
    ['lengthBuckets', []],
    ['matchParameters', ['a', 'a']],
    ['breakerThreshold', NaN],
    ['cost', 'pixels'],
    ['devices', ['gpu:0']],
  ] as const)("of a model's author are named as it wrote them: %s", (name, value) => {
    const [fault] = faultsOf(() => effectiveOptions({ [name]: value }, {}));
    expect(fault!.field.split('/')[0]).toBe(name);
  });

  it.each(['maxWaitMs', 'timeoutMs', 'targetLatencyMs', 'loadTimeoutMs', 'breakerRecoveryMs'] as const)(
    'of a time say that they are in seconds: %s',
    (name) => {
      const [fault] = faultsOf(() => effectiveOptions({}, { [name]: -5 }));
      expect(fault!.field).toBe(`${name} (in seconds)`);
    },
  );
});
