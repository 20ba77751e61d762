import { tensor } from '#model';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { warmupSamples } from './warmup-samples.js';

const folder = mkdtempSync(join(tmpdir(), 'smartbatch-warmup-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'x.raw');
writeFileSync(file, new Uint8Array(Float32Array.of(1.5, -2).buffer));

describe('declared samples', () => {
  it('are zeros, or come from a file', async () => {
    const samples = await warmupSamples([
      {
        x: { dtype: 'float32', shape: [2], data: { file } },
        n: { dtype: 'int64', shape: [null], data: 'zeros' },
        s: { dtype: 'string', shape: [2], data: 'zeros' },
      },
    ]);
    expect(samples).toEqual([
      {
        x: tensor('float32', [2], Float32Array.of(1.5, -2)),
        n: tensor('int64', [1], BigInt64Array.of(0n)),
        s: tensor('string', [2], ['', '']),
      },
    ]);
  });

  it('are the same random ones each time, and differ from each other', async () => {
    const declared = Array.from({ length: 2 }, () => ({
      x: { dtype: 'float32', shape: [8], data: 'random' } as const,
    }));
    const samples = await warmupSamples(declared);
    expect(await warmupSamples(declared)).toEqual(samples);
    expect(samples[0]).not.toEqual(samples[1]);
  });

  it.each([
    [{ dtype: 'float32', shape: [3], data: { file } }, "'x.raw' holds 8 bytes in place of 12"],
    [
      { dtype: 'float32', shape: [2], data: { file: join(folder, 'y.raw') } },
      "'y.raw' cannot be read (ENOENT)",
    ],
    [{ dtype: 'string', shape: [2], data: { file } }, "the warm-up of 'x' cannot come from a file"],
  ] as const)('must be there and fit: %j', async (input, message) => {
    const refusal = await warmupSamples([{ x: input }]).catch((error: Error) => error.message);
    expect(refusal).toContain(message);
    expect(refusal).not.toContain(folder);
  });
});
