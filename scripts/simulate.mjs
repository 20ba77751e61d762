// `npm run simulate`: the batching engine under a virtual clock; see bench/simulate/run.ts for its options.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/bench/simulate/run.js');
