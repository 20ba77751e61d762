import { isTensor, type SelfCheck, packArrays } from '#model';
import { differenceBetween } from './difference.js';

/** Runs one batch: one result an item, where an `Error` stands for its own item. */
export type TrialRun = (values: readonly unknown[]) => Promise<readonly unknown[]>;

/** What a model is tried with, before it serves. */
export interface LoadCheckOptions {
  /** Inputs that its author or its file gives, as the handler gets them. */
  readonly samples: readonly unknown[];
  readonly maxBatchSize: number;
  readonly selfCheck: SelfCheck;
  readonly warn: (message: string) => void;
}

/**
 * Warms a model up with batches of one and of the largest size, and checks that a batch gives each item what it gets
 * alone: copies of one item, and different items in their order.
 *
 * A model that answers one input twice in different ways, since it is random or remembers, can't be compared and is
 * only warmed up. These runs go into no statistics.
 *
 * @returns the largest batch size that may be used: `maxBatchSize`, or 1 where the check says `limit`
 * @throws {Error} what was wrong, where the check says `refuse`, or a sample can't even be run alone
 */
export async function checkAtLoad(run: TrialRun, options: LoadCheckOptions): Promise<number> {
  const { samples, maxBatchSize, selfCheck, warn } = options;
  if (samples.length === 0) return maxBatchSize;
  const fault = selfCheck === 'off' ? await warmUp(run, options) : await findFault(run, options);
  if (fault === undefined) return maxBatchSize;
  if (selfCheck === 'refuse') {
    throw new Error(`self-check: ${fault}; if that is as it should be, say self_check: off`);
  }
  warn(`self-check: ${fault}`);
  return selfCheck === 'limit' ? 1 : maxBatchSize;
}

async function warmUp(
  run: TrialRun,
  { samples, maxBatchSize }: LoadCheckOptions,
): Promise<string | undefined> {
  try {
    await runCopies(run, samples.slice(0, 1));
    if (maxBatchSize > 1) await runCopies(run, cycled(samples.slice(0, 1), maxBatchSize));
  } catch (error) {
    return `the warm-up failed: ${(error as Error).message}`;
  }
  return undefined;
}

async function findFault(run: TrialRun, options: LoadCheckOptions): Promise<string | undefined> {
  const { maxBatchSize, warn } = options;
  // Only items of one shape may meet in a batch.
  const samples = options.samples.filter((sample) => shapesIn(sample) === shapesIn(options.samples[0]));
  const alone: unknown[] = [];
  for (const sample of samples) alone.push(...(await runAlone(run, sample)));
  const [again] = await runAlone(run, samples[0]);
  const change = differenceBetween(alone[0], again);
  if (change !== undefined) {
    warn(`self-check: not possible, since one input gives two results: ${change}`);
    return warmUp(run, options);
  }
  if (maxBatchSize === 1) return undefined;
  const copies = samples.slice(0, 1);
  return (
    (await compare(run, copies, alone, maxBatchSize)) ??
    (samples.length === 1 ? undefined : compare(run, samples, alone, maxBatchSize))
  );
}

async function compare(
  run: TrialRun,
  samples: readonly unknown[],
  alone: readonly unknown[],
  size: number,
): Promise<string | undefined> {
  let results: readonly unknown[];
  try {
    results = await runCopies(run, cycled(samples, size));
  } catch (error) {
    return `a batch of ${size} failed: ${(error as Error).message}`;
  }
  for (const [index, result] of results.entries()) {
    const difference = differenceBetween(alone[index % samples.length], result);
    if (difference !== undefined) {
      return `item ${index} of a batch of ${size} is not what it is alone: ${difference}`;
    }
  }
  return undefined;
}

async function runAlone(run: TrialRun, sample: unknown): Promise<readonly unknown[]> {
  const results = await runCopies(run, [sample]);
  if (results[0] instanceof Error) throw new Error(`self-check: a sample failed: ${results[0].message}`);
  return results;
}

/** A handler may write into its inputs, and use its outputs again: both are copied, as between threads. */
async function runCopies(run: TrialRun, samples: readonly unknown[]): Promise<readonly unknown[]> {
  const values = packArrays(samples.map((sample) => structuredClone(sample))).values;
  const results = await run(values);
  return results.map((result) => (result instanceof Error ? result : structuredClone(result)));
}

function shapesIn(sample: unknown): string {
  if (typeof sample !== 'object' || sample === null || ArrayBuffer.isView(sample)) return '';
  if (isTensor(sample)) return `${sample.dtype}[${sample.shape.join()}]`;
  return Object.entries(sample)
    .map(([name, member]) => `${name}:${shapesIn(member)}`)
    .join();
}

function cycled(samples: readonly unknown[], size: number): unknown[] {
  return Array.from({ length: size }, (_, index) => samples[index % samples.length]);
}
