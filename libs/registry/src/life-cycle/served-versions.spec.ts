import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelVersion } from '../version/model-version.js';
import { ServedVersions } from './served-versions.js';

const LABELS = ['v9', 'v10', 'beta', '1.10.0', '1.9.0', '2024-03-20'];
const ASCENDING = ['1.9.0', '1.10.0', '2024-03-20', 'beta', 'v9', 'v10'];

const versionOf = (version: string) => ({ name: 'm', version }) as ModelVersion;

describe('the latest version', () => {
  it('BC-083 BC-085 is the highest of those that serve, in whatever order they came and went', () => {
    const order = fc.shuffledSubarray(LABELS, { minLength: 1 });
    fc.assert(
      fc.property(fc.shuffledSubarray(LABELS, { minLength: LABELS.length }), order, (coming, going) => {
        const served = new ServedVersions();
        const versions = coming.map(versionOf);
        for (const version of versions) served.put(version);
        expect(served.of('m')!.map(({ version }) => version)).toEqual(ASCENDING.toReversed());
        const left = new Set(ASCENDING);
        for (const label of going) {
          served.delete(versions.find(({ version }) => version === label)!);
          left.delete(label);
          expect(served.find('m')?.version).toBe([...left].at(-1));
        }
      }),
    );
  });
});
