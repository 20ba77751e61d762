import { HttpParticipant } from '../participants/http-participant.js';
import { ourServer } from '../servers/our-server.js';
import type { SuiteFactory } from './suite.js';

const AUTO = 'window auto';
const EAGER = 'window eager';

/** What the learned window brings clients that wait for their answer before they send again. */
export const windowsSuite: SuiteFactory = (bodies, folder) => {
  const call = { path: '/models/sleeper/predict', body: bodies.smallJson(), model: 'sleeper' };
  const model = { name: 'sleeper', module: 'dist/bench/models/sleeper.js', batching: true };
  const auto = ourServer(folder, { ...model, window: 'auto' });
  const eager = ourServer(folder, { ...model, window: 'eager' });
  return {
    title: 'A model that takes 5 + 0.2 b ms, closed loops',
    connections: [1, 8, 16, 32],
    servers: [auto, eager],
    participants: [new HttpParticipant(AUTO, auto, call), new HttpParticipant(EAGER, eager, call)],
    comparisons: [{ of: AUTO, to: [EAGER], required: { atLeast: 1.3, at: [8, 16, 32] } }],
  };
};
