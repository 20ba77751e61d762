import { ForeignLoad } from '../measure/foreign-load.js';
import type { Measurement } from '../participants/participant.js';
import type { Turn } from '../report/comparison.js';
import { SuiteReport } from '../report/suite-report.js';
import type { Suite } from './suite.js';

/** How a suite is run. */
export interface RunOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: readonly number[];
  /** Told what is being done. */
  readonly progress: (text: string) => void;
}

/**
 * Runs a suite. The participants take turns, so that all of them see the same moods of the machine: only what
 * was measured in one round is compared.
 */
export async function runSuite(suite: Suite, options: RunOptions): Promise<SuiteReport> {
  const { seconds, rounds, connections, progress } = options;
  const turns: Turn[] = [];
  try {
    progress('starting');
    await Promise.all(suite.servers.map((server) => server.start()));
    const foreignLoad = new ForeignLoad(suite.servers.map(({ pid }) => pid));
    for (const participant of suite.participants) {
      progress(`warming up ${participant.name}`);
      await participant.warmUp({ connections: Math.min(64, Math.max(...connections)), seconds });
    }
    for (let round = 1; round <= rounds; round++) {
      for (const count of connections) {
        progress(`round ${round} of ${rounds}, ${count} connections`);
        foreignLoad.start();
        const measurements: Record<string, Measurement> = {};
        for (const participant of suite.participants) {
          measurements[participant.name] = await participant.measure({ connections: count, seconds });
        }
        turns.push({ round, connections: count, measurements, foreignShare: foreignLoad.share() });
      }
    }
  } finally {
    await Promise.all(suite.servers.map((server) => server.stop()));
  }
  return new SuiteReport(suite, turns);
}
