import { DirectLoopParticipant } from '../participants/direct-loop-participant.js';
import { HttpParticipant } from '../participants/http-participant.js';
import { directLoop } from '../servers/direct-loop-process.js';
import { ourServer } from '../servers/our-server.js';
import { ServerProcess } from '../servers/server-process.js';
import type { SuiteFactory } from './suite.js';

const DIRECT = 'direct loop';
const MODULE = 'dist/models/digits/digits.module.js';

/** A small real model: the server must not be slower than the slower of its two halves. */
export const digitsSuite: SuiteFactory = (bodies, folder) => {
  const bare = new ServerProcess('dist/bench/servers/bare-echo.js');
  const nest = new ServerProcess('dist/bench/servers/nest-echo.js');
  const noOp = ourServer(folder, { name: 'no-op', module: 'dist/bench/models/no-op.js', batching: true });
  const idle = ourServer(folder, {
    name: 'digits-no-op',
    module: 'dist/bench/models/digits-no-op.js',
    batching: true,
  });
  const on = ourServer(folder, { name: 'digits', module: MODULE, batching: true });
  const off = ourServer(folder, { name: 'digits', module: MODULE, batching: false });
  const direct = directLoop({ file: 'models/digits/digits.onnx', threads: 1 });
  const echoed = { path: '/models/digits/predict', body: bodies.digitsJson() };
  const kinds = { JSON: echoed.body, MessagePack: bodies.digitsMessagePack() };
  const ours = Object.entries(kinds).flatMap(([kind, body]) => {
    const unchanged = { path: '/models/no-op/predict', body, model: 'no-op' };
    const checked = { path: '/models/digits-no-op/predict', body, model: 'digits-no-op' };
    const read = { path: '/models/digits/predict', body, model: 'digits' };
    return [
      new HttpParticipant(`no-op ${kind}`, noOp, unchanged),
      new HttpParticipant(`without network ${kind}`, idle, checked),
      new HttpParticipant(`digits ${kind}, on`, on, read),
      new HttpParticipant(`digits ${kind}, off`, off, read),
    ];
  });
  return {
    title: 'Digits model, bodies of 784 numbers',
    connections: [1, 16, 64, 256],
    servers: [bare, nest, noOp, idle, on, off, direct],
    participants: [
      new DirectLoopParticipant(DIRECT, direct, [1, 2, 4, 8, 16, 32, 64]),
      new HttpParticipant('bare Fastify echo JSON', bare, echoed),
      new HttpParticipant('Nest echo JSON', nest, echoed),
      ...ours,
    ],
    comparisons: [
      ...Object.keys(kinds).flatMap((kind) => [
        {
          of: `digits ${kind}, on`,
          to: [DIRECT, `no-op ${kind}`],
          required: { atLeast: 0.9, at: [64] },
        },
        { of: `digits ${kind}, on`, to: [`without network ${kind}`] },
        { of: `digits ${kind}, on`, to: [DIRECT] },
        { of: `digits ${kind}, on`, to: [`digits ${kind}, off`] },
      ]),
      { of: 'digits JSON, on', to: ['bare Fastify echo JSON'] },
      { of: 'digits JSON, on', to: ['Nest echo JSON'] },
    ],
  };
};
