import { batchedHandlerOptions, BatchedHandler, type BatchContext, type BatchHandler } from '#model';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFault, FaultFolder, faultsFrom, InjectFaults, randomFaults, withFaults } from './index.js';

const contextOf = (workerId = 0) => ({ workerId }) as BatchContext;
const FAIL = { kind: 'throw' } as const;

describe('faults of a handler', () => {
  it('come before it runs, and leave it alone otherwise', async () => {
    const plan = [FAIL, undefined].values();
    const handler = withFaults(
      async (batch: number[], _context: BatchContext) => batch.map((n) => 2 * n),
      () => plan.next().value ?? undefined,
    );
    await expect(handler([1], contextOf())).rejects.toThrow('ordered');
    expect(await handler([1, 2], contextOf())).toEqual([2, 4]);
  });

  it('come to a method, whichever decorator stands first', async () => {
    class Models {
      readonly factor = 3;

      @InjectFaults(() => undefined)
      @BatchedHandler({ name: 'above' })
      above(batch: number[]): number[] {
        return batch.map((n) => this.factor * n);
      }

      @BatchedHandler({ name: 'below' })
      @InjectFaults(() => FAIL)
      below(batch: number[]): number[] {
        return batch;
      }
    }
    const models = new Models();
    const { above, below } = models as unknown as Record<string, BatchHandler<number>>;
    expect(batchedHandlerOptions(above)).toMatchObject({ name: 'above' });
    expect(batchedHandlerOptions(below)).toMatchObject({ name: 'below' });
    expect(await above!.call(models, [2], contextOf())).toEqual([6]);
    await expect(below!.call(models, [2], contextOf())).rejects.toThrow('ordered');
  });

  it('come to a stream before its first step, and it stays a stream', async () => {
    async function* count(batch: number[]) {
      yield batch;
    }
    const faulty = withFaults(count, () => FAIL);
    expect(Object.prototype.toString.call(faulty)).toBe('[object AsyncGeneratorFunction]');
    await expect((faulty as (...args: unknown[]) => AsyncGenerator)([1], contextOf()).next()).rejects.toThrow(
      'ordered',
    );
  });
});

describe('random faults', () => {
  const faults = [FAIL, { kind: 'exit' }] as const;

  it('come as often as they should, and again the same with the same seed', () => {
    const count = (seed: number) => {
      const plan = randomFaults({ seed, rate: 0.25, faults });
      return Array.from({ length: 4000 }, () => plan(contextOf())?.kind ?? 'none');
    };
    const kinds = count(7);
    expect(kinds).toEqual(count(7));
    expect(kinds).not.toEqual(count(8));
    const share = (kind: string) => kinds.filter((each) => each === kind).length / kinds.length;
    expect(share('throw')).toBeCloseTo(0.125, 1);
    expect(share('exit')).toBeCloseTo(0.125, 1);
  });

  it('differ from worker to worker', () => {
    const plan = randomFaults({ seed: 1, rate: 0.5, faults });
    const of = (worker: number) => Array.from({ length: 64 }, () => plan(contextOf(worker))?.kind);
    expect(of(0)).not.toEqual(of(1));
  });
});

describe('faults by order', () => {
  it('are committed once each, in order', () => {
    const folder = new FaultFolder(join(mkdtempSync(join(tmpdir(), 'smartbatch-faults-')), 'orders'));
    const plans = [faultsFrom(folder.path), faultsFrom(folder.path)];
    expect(plans[0]!(contextOf())).toBeUndefined();
    folder.order({ kind: 'slow', milliseconds: 5 });
    folder.order(FAIL);
    expect(folder.open).toBe(2);
    expect(plans.map((plan) => plan(contextOf()))).toEqual([{ kind: 'slow', milliseconds: 5 }, FAIL]);
    expect([folder.open, plans[1]!(contextOf())]).toEqual([0, undefined]);
  });
});

describe('what a fault does', () => {
  it('is late, and then goes on', async () => {
    const startedAt = performance.now();
    await commitFault({ kind: 'slow', milliseconds: 30 });
    await commitFault({ kind: 'hang', milliseconds: 30 });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(55);
  });

  it('is an error that the server takes for a full memory', async () => {
    await expect(commitFault({ kind: 'out-of-memory' })).rejects.toThrow('out of memory');
  });
});
