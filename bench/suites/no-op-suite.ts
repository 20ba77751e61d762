import { HttpParticipant } from '../participants/http-participant.js';
import { ourServer } from '../servers/our-server.js';
import { ServerProcess } from '../servers/server-process.js';
import type { SuiteFactory } from './suite.js';

const BARE = 'bare Fastify echo';
const NEST = 'Nest echo';
const ON = 'no-op, batching on';
const OFF = 'no-op, batching off';
const MODULE = 'dist/bench/models/no-op.js';

/** What the server itself costs: a model that does nothing, beside routes that do nothing. */
export const noOpSuite: SuiteFactory = (bodies, folder) => {
  const call = { path: '/models/no-op/predict', body: bodies.smallJson() };
  const served = { ...call, model: 'no-op' };
  const bare = new ServerProcess('dist/bench/servers/bare-echo.js');
  const nest = new ServerProcess('dist/bench/servers/nest-echo.js');
  const on = ourServer(folder, { name: 'no-op', module: MODULE, batching: true });
  const off = ourServer(folder, { name: 'no-op', module: MODULE, batching: false });
  return {
    title: 'No-op model, JSON bodies of 16 numbers',
    connections: [1, 16, 64, 256],
    servers: [bare, nest, on, off],
    participants: [
      new HttpParticipant(BARE, bare, call),
      new HttpParticipant(NEST, nest, call),
      new HttpParticipant(ON, on, served),
      new HttpParticipant(OFF, off, served),
    ],
    comparisons: [
      { of: ON, to: [NEST], required: { atLeast: 0.8, at: [64] } },
      { of: ON, to: [BARE], required: { atLeast: 0.4, at: [64] } },
      { of: NEST, to: [BARE] },
      { of: ON, to: [OFF] },
    ],
  };
};
