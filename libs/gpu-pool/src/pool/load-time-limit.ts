import type { Clock, Timer } from '#batching';
import { ServingError } from '#model';
import { loadFailureReason } from './load-failure-reason.js';

/**
 * Settles as the loading of a model does, or rejects once it has taken `limitMs` milliseconds.
 *
 * @throws {ServingError} `model_not_loadable`, with the reason
 */
export async function withinLoadTime<T>(loading: Promise<T>, limitMs: number, clock: Clock): Promise<T> {
  let timer: Timer | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = clock.setTimer(limitMs, () => reject(new Error(`it took longer than ${limitMs / 1000} s`)));
  });
  try {
    return await Promise.race([loading, timeout]);
  } catch (error) {
    const message = `the model cannot be loaded: ${loadFailureReason(error)}`;
    throw new ServingError('model_not_loadable', message, { cause: error });
  } finally {
    timer?.cancel();
  }
}
