import type { ServerProcess } from '../servers/server-process.js';
import type { Participant } from '../participants/participant.js';
import type { Comparison } from '../report/comparison.js';
import type { BodyFiles } from '../load/body-files.js';

/** In the order in which they run. */
export const SUITE_NAMES = ['noop', 'digits', 'mlp', 'resnet', 'windows'] as const;

/** @see SUITE_NAMES */
export type SuiteName = (typeof SUITE_NAMES)[number];

/** Who is measured against whom, with what load. */
export interface Suite {
  readonly title: string;
  readonly connections: readonly number[];
  readonly servers: readonly ServerProcess[];
  /** In the order in which they take their turns. */
  readonly participants: readonly Participant[];
  readonly comparisons: readonly Comparison[];
}

/**
 * Sets a suite up. Nothing of it runs before it is asked to.
 *
 * @param folder for files that are gone with the run
 */
export type SuiteFactory = (bodies: BodyFiles, folder: string) => Suite;
