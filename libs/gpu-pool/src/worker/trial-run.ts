import { HandlerStream, RunContext, runHandler, type RunContextOwner, type RunnableHandler } from '#batching';
import type { TrialRun } from '../check/load-check.js';
import type { InputDecoder } from './input-decoder.js';

/** How long a trial run's items say that they have. Nobody waits for them: what bounds them is the time for loading. */
const TIME_MS = 3_600_000;

/** Runs batches that no client has sent. Of a streaming handler it runs the first step, and gives its tokens. */
export function trialRun(handler: RunnableHandler, decoder: InputDecoder, owner: RunContextOwner): TrialRun {
  return async (values) => {
    const inputs = values.map((value) => decoder.decode(value));
    const items = values.map(() => ({
      requestId: 'self-check',
      parameters: {},
      deadline: Date.now() + TIME_MS,
    }));
    if (handler.streaming === undefined) return runHandler(handler, inputs, new RunContext(owner, items));
    const stream = new HandlerStream(handler, owner);
    const sequences = [...values.keys()];
    const { entries, done } = await stream.next({ left: [], sequences, items, values: inputs });
    if (!done) await stream.close();
    return sequences.map((sequence) => entries.find((entry) => entry.sequence === sequence)?.value);
  };
}
