import type { ConfigurationFields } from './configuration-fields.js';

/** Which versions of a model are served. */
export type VersionPolicy = { readonly latest: number } | { readonly specific: readonly string[] } | 'all';

/** What holds where nothing is said. */
export const LATEST: VersionPolicy = { latest: 1 };

/** Reads `version_policy`. */
export function readVersionPolicy(fields: ConfigurationFields): VersionPolicy {
  const policy = fields.message('version_policy');
  if (policy === undefined) return LATEST;
  const [latest, specific] = [policy.message('latest'), policy.message('specific')];
  const versions = policy.message('all') === undefined ? undefined : ('all' as const);
  const numbers = specific?.integers('versions').map(String);
  const count = latest?.integer('num_versions') ?? 1;
  for (const each of [policy, latest, specific]) each?.warnOfRest();
  if (versions !== undefined) return versions;
  return numbers === undefined ? { latest: count } : { specific: numbers };
}
