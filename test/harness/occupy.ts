import type { Recorded } from '../fixtures/recorder.js';
import type { Answer } from './answer.js';
import { Gate } from './gate.js';
import type { RunningServer } from './running-server.js';

/** Occupies the one worker of a recorder until the gate is opened. */
export async function occupy(
  server: RunningServer,
  model: string,
): Promise<{ readonly gate: Gate; readonly answer: Promise<Answer<Recorded>> }> {
  const gate = new Gate();
  const answer = server.predict<Recorded>(model, 'running', { parameters: { gate: gate.path } });
  await gate.entered();
  return { gate, answer };
}
